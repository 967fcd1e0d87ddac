// A thread is cancelled either before it takes the semaphore, or afterwards at the next point where it can be: then the semaphore is lost.
//! verdict assertions violated
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static sem_t semaphore;

static void *taker(void *argument)
{
    (void)argument;
    sem_wait(&semaphore);
    pthread_testcancel();
    sem_post(&semaphore);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int value;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, NULL, taker, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    sem_getvalue(&semaphore, &value);
    aw_assert(value == 1);
    return 0;
}
