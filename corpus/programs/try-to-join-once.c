// One try may be too early.
//! verdict assertions violated
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <allways.h>

static void *worker(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct timespec limit = {0, 0};
    pthread_create(&thread, NULL, worker, NULL);
    aw_assert(pthread_timedjoin_np(thread, NULL, &limit) == 0);
    return 0;
}
