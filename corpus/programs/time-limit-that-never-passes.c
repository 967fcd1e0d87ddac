// F9: what only goes on because a limit passes hangs without it.
//! verdict deadlock violated
//! options --timeouts never
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int done;

static void *watches(void *unused)
{
    struct timespec limit;
    int result = 0;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 60;
    pthread_mutex_lock(&lock);
    while (!done && result == 0)
        result = pthread_cond_timedwait(&change, &lock, &limit);
    if (!done)
        abort();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, watches, 0);
    pthread_mutex_lock(&lock);
    done = 0;
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
