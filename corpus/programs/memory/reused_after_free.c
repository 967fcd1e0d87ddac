// holds
// A thread looks under the lock where the block is that another one replaces. The old one grew before, and blocks come and go.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *replace(void *unused) {
    pthread_mutex_lock(&lock);
    shared = realloc(shared, 4000);
    shared[999] = *shared;
    for (int i = 0; i < 20000; i++) free(malloc(4000));
    free(shared);
    shared = malloc(sizeof *shared);
    *shared = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *keep(void *unused) {
    pthread_mutex_lock(&lock);
    int *mine = shared;
    ++*mine;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    shared = calloc(1, sizeof *shared);
    pthread_create(&threads[0], 0, replace, 0);
    pthread_create(&threads[1], 0, keep, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
