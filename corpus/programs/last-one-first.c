// Ten threads lock a mutex one after the other; only if they do so in the opposite of the order in which they were made, one of 3,628,800, something is
// wrong.
//! verdict assertions violated
//! options --max-executions 1000
#include <pthread.h>
#include <allways.h>

enum { N = 10 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long expected = N - 1;

static void *takes(void *number)
{
    pthread_mutex_lock(&mutex);
    if ((long)number == expected)
        expected--;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, takes, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    aw_assert(expected >= 0);
    return 0;
}
