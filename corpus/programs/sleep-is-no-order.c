// A pause makes nothing happen before anything.
//! verdict assertions violated
#include <pthread.h>
#include <unistd.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    sleep(1);
    pthread_mutex_lock(&mutex);
    aw_assert(ready);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
