// violated: races
// Double-checked locking with a plain pointer.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct thing {
    int value;
};

static struct thing * instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused) {
    struct thing *seen = instance;
    if (!seen) {
        pthread_mutex_lock(&mutex);
        seen = instance;
        if (!seen) {
            struct thing *made = malloc(sizeof *made);
            made->value = 7;
            instance = made;
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
