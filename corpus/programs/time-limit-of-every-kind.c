// F9: long limits of all kinds: each wait gets what it waits for, though that may take all the time there is.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static mtx_t other;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t given;
static int ends[3][2];

static void *posts(void *unused)
{
    sem_post(&given);
    return unused;
}

static void *writes(void *unused)
{
    for (int i = 0; i < 3; i++)
        assert(write(ends[i][1], "x", 1) == 1);
    return unused;
}

static void *holds(void *unused)
{
    pthread_rwlock_rdlock(&shared);
    mtx_lock(&other);
    mtx_unlock(&other);
    pthread_rwlock_unlock(&shared);
    return unused;
}

int main(void)
{
    struct timespec limit;
    pthread_t thread;
    sem_init(&given, 0, 0);
    mtx_init(&other, mtx_timed);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;

    pthread_create(&thread, 0, posts, 0);
    assert(sem_timedwait(&given, &limit) == 0);
    pthread_join(thread, 0);

    pthread_create(&thread, 0, holds, 0);
    assert(pthread_rwlock_timedwrlock(&shared, &limit) == 0);
    pthread_rwlock_unlock(&shared);
    assert(mtx_timedlock(&other, &limit) == thrd_success);
    mtx_unlock(&other);
    pthread_join(thread, 0);

    for (int i = 0; i < 3; i++)
        assert(pipe(ends[i]) == 0);
    pthread_create(&thread, 0, writes, 0);
    struct pollfd polled = {ends[0][0], POLLIN, 0};
    assert(poll(&polled, 1, 10000) == 1);
    fd_set set;
    struct timeval time = {10, 0};
    FD_ZERO(&set);
    FD_SET(ends[1][0], &set);
    assert(select(ends[1][0] + 1, &set, 0, 0, &time) == 1);
    int many = epoll_create1(0);
    struct epoll_event event = {EPOLLIN, {0}};
    epoll_ctl(many, EPOLL_CTL_ADD, ends[2][0], &event);
    assert(epoll_wait(many, &event, 1, 10000) == 1);
    pthread_join(thread, 0);
    return 0;
}
