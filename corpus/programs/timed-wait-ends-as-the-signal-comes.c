// The time is up while another thread has the mutex: its signal finds nobody, and the flag is set all the same.
//! verdict assertions violated
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t happened = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *unused)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    pthread_mutex_lock(&mutex);
    if (!flag)
        aw_assert(pthread_cond_timedwait(&happened, &mutex, &limit) == 0 || !flag);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_signal(&happened);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
