// The first order that is tried ends at an assertion, before the other thread has shown what it does. The deadlock lies
// behind another order of operations that nobody has seen then.
//! verdict assertions violated
//! verdict deadlock violated
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never, other;
static int changed;

static void *first(void *unused)
{
    pthread_mutex_lock(&mutex);
    int seen = changed;
    pthread_mutex_unlock(&mutex);
    aw_assert(seen);
    sem_wait(&never);
    return unused;
}

static void *second(void *unused)
{
    sem_post(&other);
    pthread_mutex_lock(&mutex);
    changed = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&never, 0, 0);
    sem_init(&other, 0, 0);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
