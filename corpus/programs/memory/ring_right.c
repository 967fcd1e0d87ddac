// holds
// A ring of two cells for one writer and one reader.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 2, COUNT = 4 };
static int cells[SIZE];
static atomic_uint head_, tail;

static void *put(void *unused) {
    for (int i = 0; i < COUNT; i++) {
        unsigned head = atomic_load_explicit(&head_, memory_order_relaxed);
        while (head - atomic_load_explicit(&tail, memory_order_acquire) == SIZE) {}
        cells[head % SIZE] = i;
        atomic_store_explicit(&head_, head + 1, memory_order_release);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, put, 0);
    for (int i = 0; i < COUNT; i++) {
        unsigned from = atomic_load_explicit(&tail, memory_order_relaxed);
        while (atomic_load_explicit(&head_, memory_order_acquire) == from) {}
        assert(cells[from % SIZE] == i);
        atomic_store_explicit(&tail, from + 1, memory_order_release);
    }
    pthread_join(thread, 0);
    return 0;
}
