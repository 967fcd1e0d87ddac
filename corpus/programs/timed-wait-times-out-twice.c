// A wait with a time limit is tried twice. Nothing keeps the other thread from being later than that.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *sets(void *unused)
{
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&mutex);
    for (int tries = 0; !is_ready && tries < 2; tries++) {
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec++;
        pthread_cond_timedwait(&changed, &mutex, &limit);
    }
    assert(is_ready);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
