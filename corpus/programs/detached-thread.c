// Nobody joins a detached thread; it says by a semaphore that it has done its work.
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static sem_t done;
static int result;

static void *worker(void *unused)
{
    result = 7;
    sem_post(&done);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    sem_wait(&done);
    aw_assert(result == 7);
    return 0;
}
