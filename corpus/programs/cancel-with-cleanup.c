// A thread that waits is cancelled; its clean-up function gives the lock back, so that the other can take it.
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void give_back(void *mutex)
{
    cleaned = 1;
    pthread_mutex_unlock(mutex);
}

static void *waiter(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give_back, &lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    aw_assert(result == PTHREAD_CANCELED && cleaned);
    pthread_mutex_unlock(&lock);
    return 0;
}
