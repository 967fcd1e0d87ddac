/* A thread gives back a mutex that it does not have. The other may take it before, and then meets the lock that is still held. */
#include <pthread.h>

static pthread_mutex_t mutex;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int was_held;

static void *holder(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *visitor(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (pthread_rwlock_tryrdlock(&lock) == 0)
        pthread_rwlock_unlock(&lock);
    else
        was_held = 1;
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
    pthread_create(&threads[0], 0, holder, 0);
    pthread_create(&threads[1], 0, visitor, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return was_held;
}
