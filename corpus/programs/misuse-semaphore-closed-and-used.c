// H11: a thread gives to a semaphore with a name that another thread closes meanwhile.
//! verdict misuse violated
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t *semaphore;

static void *worker(void *unused)
{
    sem_post(semaphore);
    return unused;
}

int main(void)
{
    pthread_t thread;
    semaphore = sem_open("/closed-and-used", O_CREAT, 0600, 1);
    sem_unlink("/closed-and-used");
    pthread_create(&thread, NULL, worker, NULL);
    sem_close(semaphore);
    pthread_join(thread, NULL);
    return 0;
}
