// Two threads take two locks in the same order: nobody waits for ever. The outer lock orders the rest, so there are two
// traces.
//! executions source 2
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forwards(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, forwards, NULL);
    forwards(NULL);
    pthread_join(thread, NULL);
    return 0;
}
