// The waiter does not ask whether the event has already happened, so a signal that comes first is lost.
//! verdict deadlock violated
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t happened = PTHREAD_COND_INITIALIZER;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&happened, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&happened);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
