// holds
// A value is handed over with an atomic flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int value;

static void *give(void *unused) {
    value = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    while (!atomic_load_explicit(&ready, memory_order_acquire)) {}
    assert(value == 42);
    pthread_join(thread, 0);
    return 0;
}
