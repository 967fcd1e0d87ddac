// violated: assertions
// Every access is atomic, so nothing races; but an addition is two of them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *add(void *unused) {
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(counter == 2);
    return 0;
}
