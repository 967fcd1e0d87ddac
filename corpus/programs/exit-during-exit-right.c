// F4: three threads call `exit`. Whoever ends the process, at whichever step of the first one, the
// functions for the end run once. In each execution one thread alone uses the lock, so with a
// reduction it makes no steps. That a thread takes the function, or finds none, is a step.
//! executions source 99
//! executions naive 387
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int runs;

static void at_end(void)
{
    pthread_mutex_lock(&lock);
    runs++;
    assert(runs == 1);
    pthread_mutex_unlock(&lock);
}

static void *ends(void *argument)
{
    (void)argument;
    exit(0);
}

int main(void)
{
    pthread_t thread;
    atexit(at_end);
    pthread_create(&thread, NULL, ends, NULL);
    pthread_create(&thread, NULL, ends, NULL);
    return 0;
}
