// A thread assumes what another one has yet to do. Where that one comes first, it finds what was written before.
//! compile -fsanitize=thread
//! options --visible memory
#include <pthread.h>
#include <stdatomic.h>
#include <allways.h>

static atomic_int value, is_set;

static void *assumes(void *unused)
{
    aw_assume(is_set == 1);
    aw_assert(value == 1);
    return unused;
}

static void *sets(void *unused)
{
    value = 1;
    is_set = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, assumes, NULL);
    pthread_create(&threads[1], NULL, sets, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
