// holds
// The flag is relaxed, and fences order the accesses.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int value;

static void *give(void *unused) {
    value = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) {}
    atomic_thread_fence(memory_order_acquire);
    assert(value == 42);
    pthread_join(thread, 0);
    return 0;
}
