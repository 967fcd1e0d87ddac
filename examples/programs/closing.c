/* A mutex is destroyed while somebody may still need it. */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *unused)
{
    /* What it does takes longer than expected. */
    (void)unused;
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    /* The join ought to come first. */
    pthread_mutex_destroy(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
