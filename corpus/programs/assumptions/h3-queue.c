// Finding h3: a work-stealing queue (Chase and Lev) whose owner takes the last item without asking the thief.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top, bottom = 1, items[4], taken;

static void *steal(void *unused)
{
    int t = atomic_load(&top);
    if (t < atomic_load(&bottom)) {
        atomic_load(&items[t]);
        if (atomic_compare_exchange_strong(&top, &t, t + 1))
            atomic_fetch_add(&taken, 1);
    }
    return unused;
}

int main(void)
{
    pthread_t thief;
    pthread_create(&thief, NULL, steal, NULL);
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    if (atomic_load(&top) <= b)
        atomic_fetch_add(&taken, 1);
    pthread_join(thief, NULL);
    assert(taken == 1);
    return 0;
}
