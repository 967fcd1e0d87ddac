// Woken consumers ask again, so nobody takes what is not there.
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consumer(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (items == 0)
        pthread_cond_wait(&filled, &mutex);
    aw_assert(items > 0);
    items--;
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
        items++;
        pthread_cond_broadcast(&filled);
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
