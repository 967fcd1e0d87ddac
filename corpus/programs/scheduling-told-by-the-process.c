// A thread changes how the first one is scheduled; another one asks by the number of the process.
//! verdict assertions violated
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static pthread_t first;

static void *changes(void *unused)
{
    struct sched_param nothing = {0};
    pthread_setschedparam(first, SCHED_BATCH, &nothing);
    return unused;
}

static void *asks(void *unused)
{
    assert(sched_getscheduler(getpid()) == SCHED_BATCH);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    first = pthread_self();
    pthread_create(&one, NULL, changes, NULL);
    pthread_create(&other, NULL, asks, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
