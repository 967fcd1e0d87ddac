// H6: whether a name of a semaphore is there is found out when it is opened, not before.
//! verdict assertions violated
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static void *worker(void *unused)
{
    sem_unlink("/name");
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_open("/name", O_CREAT, 0600, 1);
    pthread_create(&thread, NULL, worker, NULL);
    aw_assert(sem_open("/name", 0) != SEM_FAILED);
    pthread_join(thread, NULL);
    return 0;
}
