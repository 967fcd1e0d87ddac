// A semaphore that has enough for all orders nobody: one trace, and its value is right in the end.
//! executions source 1
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

enum { N = 3 };
static sem_t semaphore;

static void *user(void *unused)
{
    sem_wait(&semaphore);
    sem_post(&semaphore);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    int value;
    sem_init(&semaphore, 0, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    sem_getvalue(&semaphore, &value);
    aw_assert(value == N);
}
