// holds
// not complete
// A thread waits and counts how long: it never quite repeats itself.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *give(void *unused) {
    atomic_store(&ready, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    unsigned long rounds = 0;
    pthread_create(&thread, 0, give, 0);
    while (!atomic_load(&ready)) rounds++;
    pthread_join(thread, 0);
    return rounds > 1000000000;
}
