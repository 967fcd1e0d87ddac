// The mutex is taken before the semaphore: whoever has to wait keeps the others out.
//! verdict deadlock violated
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t empty, full;
static int items;

static void put(void)
{
    pthread_mutex_lock(&mutex);
    sem_wait(&empty);
    items++;
    aw_assert(items == 1);
    pthread_mutex_unlock(&mutex);
    sem_post(&full);
}

static void take(void)
{
    pthread_mutex_lock(&mutex);
    sem_wait(&full);
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
