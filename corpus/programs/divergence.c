// A thread that comes too late computes for ever.
//! options --patience 1s
//! verdict divergence violated
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    int late = done;
    pthread_mutex_unlock(&mutex);
    volatile int spinning = late;
    while (spinning)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
