// Each kind of object, made to be shared, is used by two processes; and one that is private, in the same memory, by one process only.
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t mutex, private_mutex;
    pthread_cond_t condition;
    pthread_rwlock_t lock;
    pthread_barrier_t barrier;
    sem_t semaphore;
    int is_ready;
};

int main(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    pthread_rwlockattr_t lock;
    pthread_barrierattr_t barrier;
    struct shared *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&all->mutex, &mutex);
    pthread_mutex_init(&all->private_mutex, NULL);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&all->condition, &condition);
    pthread_rwlockattr_init(&lock);
    pthread_rwlockattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&all->lock, &lock);
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&all->barrier, &barrier, 2);
    sem_init(&all->semaphore, 1, 1);
    pid_t child = fork();
    pthread_barrier_wait(&all->barrier);
    sem_wait(&all->semaphore);
    sem_post(&all->semaphore);
    pthread_rwlock_rdlock(&all->lock);
    pthread_rwlock_unlock(&all->lock);
    pthread_mutex_lock(&all->mutex);
    if (child == 0) {
        all->is_ready = 1;
        pthread_cond_signal(&all->condition);
        pthread_mutex_unlock(&all->mutex);
        _exit(0);
    }
    while (!all->is_ready)
        pthread_cond_wait(&all->condition, &all->mutex);
    pthread_mutex_unlock(&all->mutex);
    pthread_mutex_lock(&all->private_mutex);
    pthread_mutex_unlock(&all->private_mutex);
    waitpid(child, NULL, 0);
    return 0;
}
