// H1: the program makes one thread per processor. With one processor there is nothing to go wrong, and that is what the explorer runs it on.
//! verdict deadlock violated
//! options --processors 3
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static long threads;

static void *take_two(void *argument)
{
    long number = (long)argument;
    pthread_mutex_lock(&locks[number]);
    pthread_mutex_lock(&locks[(number + 1) % threads]);
    pthread_mutex_unlock(&locks[(number + 1) % threads]);
    pthread_mutex_unlock(&locks[number]);
    return 0;
}

int main(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 2;
    threads = CPU_COUNT(&set);
    if (threads < 2)
        return 0;
    pthread_t thread[3];
    for (long i = 0; i < threads; i++)
        pthread_create(&thread[i], 0, take_two, (void *)i);
    for (long i = 0; i < threads; i++)
        pthread_join(thread[i], 0);
    return 0;
}
