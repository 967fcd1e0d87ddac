// A buffer for one item, with two semaphores and a mutex: first the semaphore, then the mutex.
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t empty, full;
static int items;

static void put(void)
{
    sem_wait(&empty);
    pthread_mutex_lock(&mutex);
    items++;
    aw_assert(items == 1);
    pthread_mutex_unlock(&mutex);
    sem_post(&full);
}

static void take(void)
{
    sem_wait(&full);
    pthread_mutex_lock(&mutex);
    items--;
    aw_assert(items == 0);
    pthread_mutex_unlock(&mutex);
    sem_post(&empty);
}

static void *consumer(void *unused)
{
    take();
    take();
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&thread, NULL, consumer, NULL);
    put();
    put();
    pthread_join(thread, NULL);
    return 0;
}
