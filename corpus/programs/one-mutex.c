// n threads lock and unlock one mutex k times each: (nk)! / (k!)^n orders of the sections, and nothing else to explore.
//! executions source 70 2 4
//! executions source 6 2 2
//! executions source 90 3 2
//! executions source 1680 3 3
//! executions source 24 4 1
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int times = 2;

static void *sections(void *unused)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2;
    pthread_t threads[16];
    times = argc > 2 ? atoi(argv[2]) : 2;
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, sections, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
