// The wait is in no loop: that is right as long as it ends with a signal only.
//! options --spurious-wakeups
//! verdict assertions violated
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *maker(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, maker, NULL);
    pthread_mutex_lock(&lock);
    if (!is_ready)
        pthread_cond_wait(&ready, &lock);
    aw_assert(is_ready);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
