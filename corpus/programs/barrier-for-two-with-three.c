// Three threads come to a barrier for two: the third one stays there.
//! verdict deadlock violated
#include <pthread.h>

static pthread_barrier_t barrier;

static void *worker(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
