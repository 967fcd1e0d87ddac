// The program fails if the thread was faster.
//! verdict exit violated
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int status;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    status = done ? 3 : 0;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return status;
}
