// Clocks that no time limit can have, and times that are none, are refused: nothing is waited for.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/select.h>
#include <time.h>

static void *ends(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec second = {1, 0}, negative = {0, -1}, long_one = {0, 1000000000};
    struct timeval before = {-1, 0};
    clockid_t bad = CLOCK_PROCESS_CPUTIME_ID;
    sem_t semaphore;
    pthread_t thread;
    sem_init(&semaphore, 0, 1);
    assert(pthread_mutex_clocklock(&mutex, bad, &second) == EINVAL);
    pthread_mutex_lock(&mutex);
    assert(pthread_cond_clockwait(&condition, &mutex, bad, &second) == EINVAL);
    pthread_mutex_unlock(&mutex);
    assert(pthread_rwlock_clockrdlock(&lock, bad, &second) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&lock, bad, &second) == EINVAL);
    assert(sem_clockwait(&semaphore, bad, &second) == -1 && errno == EINVAL);
    pthread_create(&thread, NULL, ends, NULL);
    assert(pthread_clockjoin_np(thread, NULL, bad, &second) == EINVAL);
    pthread_join(thread, NULL);
    assert(nanosleep(&negative, NULL) == -1 && errno == EINVAL);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_one, NULL) == EINVAL);
    assert(ppoll(NULL, 0, &long_one, NULL) == -1 && errno == EINVAL);
    assert(pselect(0, NULL, NULL, NULL, &long_one, NULL) == -1 && errno == EINVAL);
    assert(select(0, NULL, NULL, NULL, &before) == -1 && errno == EINVAL);
    return 0;
}
