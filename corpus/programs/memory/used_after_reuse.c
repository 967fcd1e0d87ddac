// violated: races
// Every access is made under the lock, but a thread keeps a pointer to a block that another one replaces: it may use the old one when there is a new
// one, perhaps at the same address.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *replace(void *unused) {
    pthread_mutex_lock(&lock);
    free(shared);
    shared = malloc(sizeof *shared);
    *shared = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *keep(void *unused) {
    pthread_mutex_lock(&lock);
    int *mine = shared;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
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
