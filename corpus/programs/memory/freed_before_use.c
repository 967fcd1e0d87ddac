// violated: races
// A block is given back that nobody has touched; the thread that got it may touch it afterwards.
#include <pthread.h>
#include <stdlib.h>

static void *use(void *block) {
    ++*(int *)block;
    return 0;
}

int main(void) {
    pthread_t thread;
    int *block = malloc(sizeof *block);
    pthread_create(&thread, 0, use, block);
    free(block);
    pthread_join(thread, 0);
    return 0;
}
