// Twenty threads take two locks each; two of them, among the first, take theirs in opposite order.
#include <pthread.h>

enum { THREADS = 20 };

static pthread_mutex_t locks[THREADS];

static void *work(void *argument)
{
    long number = (long)argument;
    long first = number, second = number + 1;
    if (number == 3 || number == THREADS - 1) {
        first = number == 3 ? 3 : 0;
        second = number == 3 ? 2 : number;
    }
    pthread_mutex_lock(&locks[first]);
    pthread_mutex_lock(&locks[second]);
    pthread_mutex_unlock(&locks[second]);
    pthread_mutex_unlock(&locks[first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
