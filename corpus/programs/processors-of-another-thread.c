// H1: where a thread runs is something that others can change and look at.
//! verdict assertions violated
//! options --processors 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_t first;

static void *moves_it(void *unused)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(1, &set);
    pthread_setaffinity_np(first, sizeof set, &set);
    return unused;
}

int main(void)
{
    cpu_set_t set;
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, 0, moves_it, 0);
    pthread_getaffinity_np(first, sizeof set, &set);
    assert(CPU_COUNT(&set) == 2);
    pthread_join(thread, 0);
    return 0;
}
