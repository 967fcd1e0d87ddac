// violated: races
// A lock whose atomic operations tell nobody anything.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int counter;

static void *count(void *unused) {
    while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed)) {}
    counter++;
    atomic_store_explicit(&lock, 0, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return counter == 2 ? 0 : 1;
}
