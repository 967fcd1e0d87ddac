// H11: objects in memory that two processes share are initialised for the threads of one.
//! verdict misuse violated
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    pthread_barrier_t barrier;
    sem_t semaphore;
};

static void initialise(struct shared *shared)
{
    pthread_mutexattr_t mutex;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_PRIVATE);
    pthread_mutex_init(&shared->mutex, &mutex);
    pthread_condattr_t cond;
    pthread_condattr_init(&cond);
    pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_PRIVATE);
    pthread_cond_init(&shared->cond, &cond);
    pthread_rwlockattr_t rwlock;
    pthread_rwlockattr_init(&rwlock);
    pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_PRIVATE);
    pthread_rwlock_init(&shared->rwlock, &rwlock);
    pthread_barrierattr_t barrier;
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&shared->barrier, &barrier, 2);
    sem_init(&shared->semaphore, 0, 1);
}

int main(void)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    initialise(shared);
    pid_t child = fork();
    pthread_mutex_lock(&shared->mutex);
    pthread_cond_signal(&shared->cond);
    pthread_mutex_unlock(&shared->mutex);
    pthread_rwlock_rdlock(&shared->rwlock);
    pthread_rwlock_unlock(&shared->rwlock);
    sem_wait(&shared->semaphore);
    sem_post(&shared->semaphore);
    pthread_barrier_wait(&shared->barrier);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return 0;
}
