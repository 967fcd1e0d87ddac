// H11: a condition may be destroyed as soon as everybody who waited for it was woken, and initialised anew by a function or an assignment.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t waits;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    sem_post(&waits);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&waits, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&waits);
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&condition);
    pthread_cond_destroy(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    pthread_cond_init(&condition, NULL);
    pthread_cond_signal(&condition);
    pthread_cond_destroy(&condition);
    condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pthread_cond_signal(&condition);
    return 0;
}
