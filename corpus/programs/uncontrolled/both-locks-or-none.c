// Two threads take two locks in opposite order. Who fails to get the second one gives back the first, sleeps and tries again. They can get into each
// other's way for ever, but only if they keep step: whoever goes alone gets both, so it is no livelock.
//! options --max-executions 300
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *worker(void *number)
{
    pthread_mutex_t *first = &mutexes[(long)number], *second = &mutexes[1 - (long)number];
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            break;
        pthread_mutex_unlock(first);
        usleep(10);
    }
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
