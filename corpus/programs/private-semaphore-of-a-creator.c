// The creator uses it again after it has made the thread: then both use it at a time.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t tokens;

static void *worker(void *unused)
{
    sem_trywait(&tokens);
    return unused;
}

static void *creator(void *unused)
{
    pthread_t thread;
    sem_post(&tokens);
    pthread_create(&thread, NULL, worker, NULL);
    assert(sem_trywait(&tokens) == 0);
    pthread_join(thread, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&tokens, 0, 0);
    pthread_create(&thread, NULL, creator, NULL);
    pthread_join(thread, NULL);
    return 0;
}
