// Two threads that write and read memory for ever: neither would let the other go on if that were not visible.
//! verdict races violated
//! compile -fsanitize=thread
//! options --visible memory --max-executions 3
#include <pthread.h>

static volatile int first, second;

static void *one(void *unused)
{
    for (;;)
        first = second + 1;
    return unused;
}

static void *other(void *unused)
{
    for (;;)
        second = first + 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
