// What threads do to locks that they alone use makes no steps (section 6).
//! executions source 1
//! transitions source 0
#include <pthread.h>
#include <semaphore.h>

enum { THREADS = 3, LOCKS = 10 };
static pthread_mutex_t locks[THREADS][LOCKS];
static pthread_rwlock_t read_write[THREADS];
static sem_t semaphores[THREADS];

static void *worker(void *argument)
{
    long number = (long)argument;
    pthread_rwlock_init(&read_write[number], NULL);
    sem_init(&semaphores[number], 0, 1);
    for (int lock = 0; lock < LOCKS; lock++) {
        pthread_mutex_init(&locks[number][lock], NULL);
        pthread_mutex_lock(&locks[number][lock]);
        pthread_mutex_unlock(&locks[number][lock]);
        pthread_rwlock_rdlock(&read_write[number]);
        pthread_rwlock_unlock(&read_write[number]);
        sem_wait(&semaphores[number]);
        sem_post(&semaphores[number]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long number = 0; number < THREADS; number++)
        pthread_create(&threads[number], NULL, worker, (void *)number);
    for (int number = 0; number < THREADS; number++)
        pthread_join(threads[number], NULL);
    // Everybody else is over by now.
    for (int number = 0; number < THREADS; number++)
        pthread_rwlock_destroy(&read_write[number]);
    return 0;
}
