// Some executions end with a fault, some with `abort`, some with a status that is not 0: what comes after is not affected.
//! verdict crash violated
//! verdict exit violated
//! verdict assertions violated
#include <pthread.h>
#include <stdlib.h>
#include <allways.h>

enum { N = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order;
static int *volatile nowhere;

static void *comes(void *number)
{
    pthread_mutex_lock(&mutex);
    order = order * N + (int)(long)number;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    aw_assert(order == 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, comes, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    switch (order % 77) {
    case 3:
        *nowhere = 1;
        break;
    case 4:
        abort();
    case 5:
        return 9;
    }
    return 0;
}
