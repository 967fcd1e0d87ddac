// violated: races
// Two threads sort the same numbers.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int numbers[4] = {3, 1, 2, 0};

static int in_order(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }

static void *work(void *unused)
{
    qsort(numbers, 4, sizeof *numbers, in_order);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
