// Readers of a rwlock do not notice each other: one trace.
//! executions source 1
#include <pthread.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
