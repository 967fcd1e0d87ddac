// H11: a mutex is initialised once more while another thread may hold it.
//! verdict misuse violated
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_init(&mutex, NULL);
    pthread_join(thread, NULL);
    return 0;
}
