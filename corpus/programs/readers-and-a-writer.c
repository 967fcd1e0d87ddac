// Two readers and a writer with a rwlock. Each reader is before or after the writer: four traces.
//! executions source 4
#include <pthread.h>
#include <allways.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&rwlock);
    aw_assert(first == second);
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void *writer(void *unused)
{
    pthread_rwlock_wrlock(&rwlock);
    first++;
    second++;
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
