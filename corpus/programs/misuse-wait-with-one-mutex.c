// H11: two threads wait for one condition with the same mutex.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *worker(void *which)
{
    pthread_mutex_t *mutex = which;
    struct timespec soon = {1, 0};
    pthread_mutex_lock(mutex);
    pthread_cond_timedwait(&condition, mutex, &soon);
    pthread_mutex_unlock(mutex);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, worker, &first);
    pthread_create(&threads[1], NULL, worker, &first);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
