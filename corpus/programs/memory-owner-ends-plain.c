// A thread ends with a robust mutex in its hands; another one does not take it, and so knows nothing of what was done.
//! verdict races violated
//! compile -fsanitize=thread
//! options --visible memory
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
    count++;
    pthread_join(thread, NULL);
    return 0;
}
