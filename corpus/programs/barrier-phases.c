// Nobody is in the second phase while somebody is in the first one.
#include <pthread.h>
#include <allways.h>

enum { N = 2 };
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrived;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    arrived++;
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    aw_assert(arrived == N);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
