// An initialisation that fails is none: the semaphore and the barrier were initialised once.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static sem_t semaphore;
static pthread_barrier_t barrier;

static void *worker(void *unused)
{
    sem_wait(&semaphore);
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread;
    aw_assert(sem_init(&semaphore, 0, 1) == 0);
    aw_assert(sem_init(&semaphore, 0, 1u << 31) == -1 && errno == EINVAL);
    aw_assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
    aw_assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    return 0;
}
