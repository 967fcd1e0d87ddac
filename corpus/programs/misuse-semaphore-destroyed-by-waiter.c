// H11: who was woken by a semaphore may destroy it, and initialise it anew.
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *worker(void *unused)
{
    sem_post(&semaphore);
    return unused;
}

int main(void)
{
    for (int round = 0; round < 2; round++) {
        pthread_t thread;
        sem_init(&semaphore, 0, 0);
        pthread_create(&thread, NULL, worker, NULL);
        sem_wait(&semaphore);
        sem_destroy(&semaphore);
        pthread_join(thread, NULL);
    }
    return 0;
}
