// Finding h3: two threads count without a lock; that needs no synchronisation which could be seen.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *count(void *unused)
{
    int value = counter;
    counter = value + 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
