// Producers and consumers wait for the same condition. A signal that is meant for the producer can wake a consumer, which
// waits again, and then nobody is left to wake anybody.
//! verdict deadlock violated
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *consumer(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (items == 0)
        pthread_cond_wait(&changed, &mutex);
    items--;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        while (items == 1)
            pthread_cond_wait(&changed, &mutex);
        items++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
