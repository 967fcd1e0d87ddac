// A mutex that checks for errors says so: taken twice, given back twice, given back by somebody else.
#include <errno.h>
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex;

static void *other(void *unused)
{
    int result = pthread_mutex_unlock(&mutex);
    aw_assert(result == EPERM);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attribute;
    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attribute);
    pthread_create(&thread, NULL, other, NULL);
    aw_assert(pthread_mutex_lock(&mutex) == 0);
    aw_assert(pthread_mutex_lock(&mutex) == EDEADLK);
    aw_assert(pthread_mutex_trylock(&mutex) == EBUSY);
    aw_assert(pthread_mutex_unlock(&mutex) == 0);
    aw_assert(pthread_mutex_unlock(&mutex) == EPERM);
    pthread_join(thread, NULL);
    return 0;
}
