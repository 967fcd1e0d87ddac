// holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *add(void *unused) {
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    assert(counter == 3);
    return 0;
}
