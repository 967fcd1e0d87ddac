// holds
// A lock that spins by comparing.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int taken;
static int inside, total;

static void *work(void *unused) {
    int expected = 0;
    while (!atomic_compare_exchange_weak(&taken, &expected, 1)) expected = 0;
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
