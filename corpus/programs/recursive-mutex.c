// A recursive mutex is free again only when it was given back as often as it was taken.
#include <errno.h>
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex;
static int inside;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    aw_assert(pthread_mutex_trylock(&mutex) == 0);
    aw_assert(++inside == 1);
    pthread_mutex_unlock(&mutex);
    aw_assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_mutexattr_t attribute;
    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attribute);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
