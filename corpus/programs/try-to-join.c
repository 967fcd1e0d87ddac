// A thread that has not ended cannot be joined yet; sooner or later it can.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <allways.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    void *result;
    int error;
    pthread_create(&thread, NULL, worker, &done);
    while ((error = pthread_tryjoin_np(thread, &result)) == EBUSY)
        sched_yield();
    aw_assert(error == 0 && result == &done && done);
    return 0;
}
