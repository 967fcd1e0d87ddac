// A thread waits in short pieces and gives up after five seconds, which it takes from the clock: the rounds are not the same.
//! verdict assertions violated
//! options --retries 20
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
    int begin = (int)time(NULL);
    pthread_mutex_lock(&mutex);
    while (!is_ready && (int)time(NULL) - begin < 5) {
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
