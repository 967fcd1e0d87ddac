// A wait with a time limit ends, though the signal was lost.
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t happened = PTHREAD_COND_INITIALIZER;

static void *waiter(void *unused)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    pthread_mutex_lock(&mutex);
    int result = pthread_cond_timedwait(&happened, &mutex, &limit);
    aw_assert(result == 0 || result == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&happened);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
