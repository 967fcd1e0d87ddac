// A thread that waits is cancelled, and nobody gives its lock back.
//! verdict deadlock violated
//! verdict misuse violated
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;


static void *waiter(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
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
    aw_assert(result == PTHREAD_CANCELED);
    pthread_mutex_unlock(&lock);
    return 0;
}
