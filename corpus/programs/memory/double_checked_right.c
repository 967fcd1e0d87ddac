// holds
// Double-checked locking with an atomic pointer.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct thing {
    int value;
};

static _Atomic(struct thing *) instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused) {
    struct thing *seen = atomic_load_explicit(&instance, memory_order_acquire);
    if (!seen) {
        pthread_mutex_lock(&mutex);
        seen = atomic_load_explicit(&instance, memory_order_acquire);
        if (!seen) {
            struct thing *made = malloc(sizeof *made);
            made->value = 7;
            atomic_store_explicit(&instance, made, memory_order_release);
            seen = made;
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(seen->value == 7);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, use, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
