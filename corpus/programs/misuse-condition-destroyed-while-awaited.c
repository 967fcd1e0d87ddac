// H11: a condition is destroyed for which a thread may wait.
//! verdict misuse violated
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
    struct timespec soon = {1, 0};
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&condition, &mutex, &soon);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_cond_destroy(&condition);
    pthread_join(thread, NULL);
    return 0;
}
