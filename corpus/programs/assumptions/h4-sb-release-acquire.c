// Finding h4: store buffering, stores that release and loads that acquire. On real machines both threads can read 0.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen_by_first, seen_by_second;

static void *first(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    seen_by_first = atomic_load_explicit(&y, memory_order_acquire);
    return unused;
}

static void *second(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    seen_by_second = atomic_load_explicit(&x, memory_order_acquire);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(seen_by_first || seen_by_second);
    return 0;
}
