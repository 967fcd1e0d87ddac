// An atomic counter: no race, no lost update.
//! compile -fsanitize=thread
//! options --visible memory
#include <pthread.h>
#include <allways.h>

static _Atomic int count;

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
