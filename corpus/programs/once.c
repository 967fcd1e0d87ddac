// Whoever comes second to pthread_once waits until the first one is through.
#include <pthread.h>
#include <allways.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int times, finished;

static void initialise(void)
{
    times++;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    finished = 1;
}

static void *worker(void *unused)
{
    pthread_once(&once, initialise);
    aw_assert(times == 1 && finished);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
