// H11: a semaphore is destroyed for which a thread may wait.
//! verdict misuse violated
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *worker(void *unused)
{
    sem_wait(&semaphore);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_destroy(&semaphore);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
    return 0;
}
