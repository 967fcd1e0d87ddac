// While a thread holds the semaphore it cannot be cancelled.
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static sem_t semaphore;

static void *taker(void *argument)
{
    int old;
    (void)argument;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    aw_assert(old == PTHREAD_CANCEL_ENABLE);
    sem_wait(&semaphore);
    pthread_testcancel();
    sem_post(&semaphore);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *result;
    int value;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, NULL, taker, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    sem_getvalue(&semaphore, &value);
    aw_assert(value == 1 && (result == PTHREAD_CANCELED || result == NULL));
    return 0;
}
