// violated: races
// A value is handed over with a plain flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int ready;
static int value;

static void *give(void *unused) {
    value = 42;
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    while (!ready) {}
    assert(value == 42);
    pthread_join(thread, 0);
    return 0;
}
