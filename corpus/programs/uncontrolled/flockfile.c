// Two threads have the lock of a stream one after the other, and wait for a mutex meanwhile. Who prints would have to wait for them, too: that is not
// modelled.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *prints(void *unused)
{
    flockfile(stdout);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    funlockfile(stdout);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, prints, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
