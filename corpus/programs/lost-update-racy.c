// An update is lost if both threads read before one of them writes.
//! verdict assertions violated
#include <pthread.h>
#include <allways.h>

static volatile int count;

static void *worker(void *unused)
{
    aw_visible("count");
    int value = count;
    aw_visible("count");
    count = value + 1;
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
