// A counter without a lock: an update can be lost, and the accesses race.
//! verdict races violated
//! verdict assertions violated
//! compile -fsanitize=thread
//! options --visible memory
#include <pthread.h>
#include <allways.h>

static int count;

static void *worker(void *unused)
{
    count++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    aw_assert(count == 2);
    return 0;
}
