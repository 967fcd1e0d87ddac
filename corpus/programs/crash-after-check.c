// The pointer is checked under the lock and used under the lock, but the lock was given back in between.
//! verdict crash violated
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int target = 1;
static int *volatile pointer = &target;

static void *reset(void *unused)
{
    pthread_mutex_lock(&mutex);
    pointer = NULL;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reset, NULL);
    pthread_mutex_lock(&mutex);
    int usable = pointer != NULL;
    pthread_mutex_unlock(&mutex);
    if (usable) {
        pthread_mutex_lock(&mutex);
        *(volatile int *)pointer = 2;
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(thread, NULL);
    return 0;
}
