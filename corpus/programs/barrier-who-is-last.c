// Of those who arrive at a barrier only the last one matters: as many traces as threads.
//! executions source 3 3
//! executions source 4 4
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *worker(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t threads[8];
    pthread_barrier_init(&barrier, NULL, n);
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}
