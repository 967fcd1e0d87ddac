// holds
// A lock that looks before it tries, and yields.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int taken;
static int inside, total;

static void *work(void *unused) {
    do {
        while (atomic_load_explicit(&taken, memory_order_relaxed)) sched_yield();
    } while (atomic_exchange(&taken, 1));
    inside++;
    assert(inside == 1);
    inside--;
    total++;
    atomic_store_explicit(&taken, 0, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(total == 2);
    return 0;
}
