// Readers that try do not notice each other either: one trace.
//! executions source 1
#include <pthread.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *unused)
{
    if (pthread_rwlock_tryrdlock(&rwlock) == 0)
        pthread_rwlock_unlock(&rwlock);
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}
