// A thread ends with a mutex in its hands, and nobody else ever gets it.
//! verdict deadlock violated
//! verdict misuse violated
#include <errno.h>
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attribute;
    pthread_mutexattr_init(&attribute);
    pthread_mutex_init(&mutex, &attribute);
    pthread_create(&thread, NULL, worker, NULL);
    int result = pthread_mutex_lock(&mutex);
    if (result == EOWNERDEAD)
        pthread_mutex_consistent(&mutex);
    aw_assert(pthread_mutex_unlock(&mutex) == 0);
    pthread_join(thread, NULL);
    return 0;
}
