/* A thread tries in vain to take a mutex that it has. The other thread may come before all that, and then the value is not there. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t unrelated = PTHREAD_MUTEX_INITIALIZER;
static int value, seen;

static void *writer(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (pthread_mutex_trylock(&mutex) == 0)
        abort();
    value = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *reader(void *unused)
{
    pthread_mutex_lock(&unrelated);
    pthread_mutex_unlock(&unrelated);
    pthread_mutex_lock(&mutex);
    seen = value;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return seen == 1 ? 0 : 1;
}
