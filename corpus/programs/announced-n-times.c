// n threads do one operation each on the same name: n! orders.
//! executions source 6 3
//! executions source 24 4
//! executions naive 24 4
#include <pthread.h>
#include <stdlib.h>
#include <allways.h>

static void *worker(void *unused)
{
    aw_visible("x");
    return unused;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t threads[8];
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
