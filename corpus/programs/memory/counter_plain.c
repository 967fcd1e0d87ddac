// violated: assertions races
// Two threads add to a counter without a lock.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *add(void *unused) {
    counter++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(counter == 2);
    return 0;
}
