// violated: assertions races
// A loop reads the same variable several times: a bounded loop is no waiting.
#include <assert.h>
#include <pthread.h>

static int value, done;

static void *read_often(void *unused) {
    int sum = 0;
    for (int i = 0; i < 5; i++) sum += value;
    if (sum == 0) done = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, read_often, 0);
    int was_done = done;
    value = 1;
    assert(!was_done);
    pthread_join(thread, 0);
    return 0;
}
