// n philosophers as threads, with a mutex for each fork: the same figures as with processes and semaphores.
//! verdict deadlock violated
//! executions source 3 2
//! executions source 7 3
//! executions source 15 4
//! executions source 31 5
//! executions naive 4 2
//! executions naive 396 3
//! transitions naive 18 2
//! transitions naive 1680 3
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t forks[16];
static int n;

static void *philosopher(void *number)
{
    int left = (int)(long)number, right = (left + 1) % n;
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    pthread_mutex_unlock(&forks[right]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[16];
    n = argc > 1 ? atoi(argv[1]) : 3;
    for (int i = 0; i < n; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
