// A pointer and a count that are compared and exchanged together, sixteen bytes at once.
//! compile -fsanitize=thread -mcx16
//! options --visible memory
#include <pthread.h>
#include <allways.h>

static __int128 pair;

static void *worker(void *unused)
{
    __int128 seen = 0, found;
    while ((found = __sync_val_compare_and_swap(&pair, seen, seen + ((__int128)1 << 64))) != seen)
        seen = found;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    aw_assert(pair >> 64 == 2);
    return 0;
}
