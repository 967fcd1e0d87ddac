// Limits on the monotonic clock end what would wait for ever: for a lock of each kind, a semaphore, a condition and a thread.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

static struct timespec soon(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec++;
    return time;
}

static void *waits(void *argument)
{
    struct timespec limit = soon();
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &limit) == ETIMEDOUT);
    limit = soon();
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &limit) == ETIMEDOUT);
    limit = soon();
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &limit) == ETIMEDOUT);
    limit = soon();
    assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &limit) == -1 && errno == ETIMEDOUT);
    limit = soon();
    pthread_mutex_lock(&own);
    assert(pthread_cond_clockwait(&condition, &own, CLOCK_MONOTONIC, &limit) == ETIMEDOUT);
    pthread_mutex_unlock(&own);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_create(&thread, NULL, waits, NULL);
    struct timespec limit = soon();
    int joined = pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &limit);
    assert(joined == 0 || joined == ETIMEDOUT);
    if (joined != 0)
        pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&mutex);
    return 0;
}
