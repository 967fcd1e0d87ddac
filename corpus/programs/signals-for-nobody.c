// Signals for which nobody waits change nothing: one trace.
//! executions source 1
#include <pthread.h>

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *signaller(void *unused)
{
    pthread_cond_signal(&condition);
    pthread_cond_signal(&condition);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, signaller, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
