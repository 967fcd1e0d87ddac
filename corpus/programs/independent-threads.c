// Threads that share nothing: one trace, however many operations there are.
//! executions source 1
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutexes[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void *worker(void *number)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&mutexes[(long)number]);
        pthread_mutex_unlock(&mutexes[(long)number]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
