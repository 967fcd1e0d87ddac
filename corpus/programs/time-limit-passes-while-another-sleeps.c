// F9: a limit of ten seconds passes if another thread sleeps for twenty, also if that is all that is in the way.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *takes(void *unused)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    assert(pthread_mutex_timedlock(&lock, &limit) == 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, takes, 0);
    sleep(20);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
