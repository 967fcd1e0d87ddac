// violated: races
// Every access is made under the lock, but one thread keeps a pointer to what another gives back.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *keep(void *unused) {
    pthread_mutex_lock(&lock);
    int *mine = shared;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (mine) ++*mine;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    shared = calloc(1, sizeof *shared);
    pthread_create(&thread, 0, keep, 0);
    pthread_mutex_lock(&lock);
    free(shared);
    shared = 0;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
