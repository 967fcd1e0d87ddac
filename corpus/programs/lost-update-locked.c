// With a lock around it no update is lost.
//! executions source 2
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int count;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    int value = count;
    count = value + 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    aw_assert(count == 2);
    return 0;
}
