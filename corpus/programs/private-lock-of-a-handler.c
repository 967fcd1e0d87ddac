// A signal comes while the thread has a lock that nobody else uses, and its function wants the
// lock, too.
//! verdict deadlock violated
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static void handle(int unused)
{
    (void)unused;
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
