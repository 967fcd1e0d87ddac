// Each thread has a lock that main makes before and destroys afterwards: never two at a time, and
// each knows that.
//! executions source 1
//! transitions source 0
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3 };

static void *worker(void *argument)
{
    pthread_mutex_lock(argument);
    pthread_mutex_unlock(argument);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_mutex_t *locks[THREADS];
    for (int number = 0; number < THREADS; number++) {
        locks[number] = malloc(sizeof(pthread_mutex_t));
        pthread_mutex_init(locks[number], NULL);
        pthread_create(&threads[number], NULL, worker, locks[number]);
    }
    for (int number = 0; number < THREADS; number++) {
        pthread_join(threads[number], NULL);
        pthread_mutex_destroy(locks[number]);
        free(locks[number]);
    }
    return 0;
}
