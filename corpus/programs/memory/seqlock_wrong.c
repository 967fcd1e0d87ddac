// violated: assertions
// A sequence lock whose reader does not look twice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *change(void *unused) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&left, 1);
    atomic_store(&right, 1);
    atomic_fetch_add(&sequence, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    unsigned before;
    int a, b;
    do {
        before = atomic_load(&sequence);
        a = atomic_load(&left);
        b = atomic_load(&right);
    } while (before & 1);
    assert(a == b);
    pthread_join(thread, 0);
    return 0;
}
