// holds
// Two threads give the same block back, unless the other one has done so.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *give_back(void *unused) {
    pthread_mutex_lock(&lock);
    free(shared);
    shared = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    shared = malloc(sizeof *shared);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, give_back, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
