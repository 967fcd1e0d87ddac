// A thread waits for another process when its own process ends. Had that been later, the signal would have reached it.
//! verdict exit violated
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

static struct shared *shared;
static sem_t ready;

static void *waiter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&shared->mutex);
    sem_post(&ready);
    pthread_cond_wait(&shared->condition, &shared->mutex);
    _exit(3);
}

int main(void)
{
    pthread_mutexattr_t of_mutex;
    pthread_condattr_t of_condition;
    pthread_t thread;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &of_mutex);
    pthread_condattr_init(&of_condition);
    pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->condition, &of_condition);
    sem_init(&ready, 0, 0);
    if (fork() == 0) {
        pthread_cond_signal(&shared->condition);
        _exit(0);
    }
    pthread_create(&thread, NULL, waiter, NULL);
    sem_wait(&ready);
    _exit(0);
}
