// A thread assumes what another one has yet to do, and takes no step before: the other one may come first all the same.
//! verdict assertions violated
//! compile -fsanitize=thread
//! options --visible memory
#include <pthread.h>
#include <stdatomic.h>
#include <allways.h>

static atomic_int is_set;

static void *assumes(void *unused)
{
    aw_assume(is_set == 1);
    aw_assert(0);
    return unused;
}

static void *sets(void *unused)
{
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
