/* A thread tries to give back the mutex of another. That fails, but it can still come after the other's next step and what follows. */
#include <pthread.h>

static pthread_mutex_t mutex;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int value, failure, seen;

static void *stranger(void *unused)
{
    pthread_mutex_lock(&guard);
    value = 1;
    pthread_mutex_unlock(&guard);
    failure = pthread_mutex_unlock(&mutex);
    return unused;
}

static void *owner(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&guard);
    seen = value;
    pthread_mutex_unlock(&guard);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&threads[0], 0, stranger, 0);
    pthread_create(&threads[1], 0, owner, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return seen == 1 && failure != 0 ? 0 : 1;
}
