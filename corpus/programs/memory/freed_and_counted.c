// violated: races
// What a thread finds in a block that was given back is the same whenever the schedule is repeated: so many steps are made.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
    char *text;
    unsigned length;
};

static atomic_uint steps;

static void *work(void *argument) {
    struct job *job = argument;
    unsigned length = job->length % 16;
    for (unsigned i = 0; i < length; i++) atomic_fetch_add(&steps, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    struct job *job = malloc(sizeof *job);
    job->length = 1;
    pthread_create(&thread, 0, work, job);
    free(job);
    atomic_fetch_add(&steps, 1);
    pthread_join(thread, 0);
    return 0;
}
