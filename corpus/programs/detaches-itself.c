// A thread says that nobody shall join it, and another one joins it all the same. If it does so too late, it does not wait, and sees too little.
//! verdict assertions violated
//! verdict misuse violated
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *worker(void *unused)
{
    pthread_detach(pthread_self());
    pthread_mutex_lock(&mutex);
    result = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    aw_assert(result == 1);
    pthread_mutex_unlock(&mutex);
    return 0;
}
