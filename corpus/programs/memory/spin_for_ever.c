// violated: livelock
// Each waits for the other; both use the processor.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready[2];

static void *wait(void *number) {
    int me = (int)(long)number;
    while (!atomic_load(&ready[1 - me])) {}
    atomic_store(&ready[me], 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, wait, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
