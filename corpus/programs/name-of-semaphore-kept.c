// H6: who has a semaphore open keeps it when the name is removed, and the name can be given anew.
#include <errno.h>
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
    sem_t *first = sem_open("/name", O_CREAT, 0600, 1);
    aw_assert(sem_open("/name", 0) == first);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(first);
    pthread_join(thread, NULL);
    aw_assert(sem_open("/name", 0) == SEM_FAILED && errno == ENOENT);
    aw_assert(sem_unlink("/name") == -1 && errno == ENOENT);
    sem_t *second = sem_open("/name", O_CREAT | O_EXCL, 0600, 3);
    aw_assert(second != SEM_FAILED && second != first);
    aw_assert(sem_open("/name", O_CREAT | O_EXCL, 0600, 3) == SEM_FAILED && errno == EEXIST);
    return 0;
}
