// holds
// Large blocks are given back when nobody uses them any more, and got again.
#include <pthread.h>
#include <stdlib.h>

static void *use(void *block) {
    ((volatile char *)block)[30000] = 1;
    block = realloc(block, 60000);
    ((volatile char *)block)[50000] = 1;
    return block;
}

int main(void) {
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        void *block = malloc(40000);
        pthread_create(&thread, 0, use, block);
        pthread_join(thread, &block);
        ((volatile char *)block)[55000] = 1;
        free(block);
        free(malloc(20000));
    }
    return 0;
}
