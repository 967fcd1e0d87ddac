// H11: mutexes that check who gives them back say so; that is no misuse.
#include <errno.h>
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t checking, recursive;

static void *worker(void *unused)
{
    aw_assert(pthread_mutex_unlock(&checking) == EPERM);
    aw_assert(pthread_mutex_unlock(&recursive) == EPERM);
    return unused;
}

static void make(pthread_mutex_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

int main(void)
{
    pthread_t thread;
    make(&checking, PTHREAD_MUTEX_ERRORCHECK);
    make(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_lock(&checking);
    pthread_mutex_lock(&recursive);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    aw_assert(pthread_mutex_lock(&checking) == EDEADLK);
    pthread_mutex_unlock(&checking);
    pthread_mutex_unlock(&recursive);
    aw_assert(pthread_mutex_unlock(&recursive) == EPERM);
    return 0;
}
