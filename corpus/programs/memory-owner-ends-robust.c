// A thread ends with a robust mutex in its hands: whoever takes it next knows all that was done before.
//! compile -fsanitize=thread
//! options --visible memory
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static int count;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attribute;
    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attribute);
    pthread_create(&thread, NULL, worker, NULL);
    int result = pthread_mutex_lock(&mutex);
    if (result == EOWNERDEAD)
        pthread_mutex_consistent(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
