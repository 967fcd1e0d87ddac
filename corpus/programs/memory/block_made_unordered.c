// violated: races
// H10: nothing orders that a block is made and that another thread, which was told where it is, writes to it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *make(void *argument) {
    atomic_store_explicit(&shared, malloc(4), memory_order_relaxed);
    return argument;
}

static void *use(void *argument) {
    int *block = atomic_load_explicit(&shared, memory_order_relaxed);
    if (block) *block = 1;
    return argument;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, make, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    free(shared);
    return 0;
}
