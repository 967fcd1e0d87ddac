// Semaphores with names: one of each thread, and one that is held for as long as it must be.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t *shared;
static int counter;

static void *worker(void *number)
{
    char name[16];
    snprintf(name, sizeof name, "/own-%ld", (long)number);
    sem_t *own = sem_open(name, O_CREAT, 0600, 1);
    sem_wait(own);
    sem_post(own);
    sem_wait(shared);
    int seen = counter;
    counter = seen + 1;
    sem_post(shared);
    sem_close(own);
    sem_unlink(name);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    shared = sem_open("/shared", O_CREAT, 0600, 1);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
