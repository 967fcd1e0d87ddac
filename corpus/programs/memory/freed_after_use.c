// holds
// The block is given back by the thread that used it last, and its memory is used again by others.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *block) {
    ++*(int *)block;
    free(block);
    pthread_mutex_lock(&lock);
    int *other = calloc(1, sizeof *other);
    other = realloc(other, 4096);
    other[100] = other[0] + 1;
    free(other);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, use, calloc(1, sizeof(int)));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
