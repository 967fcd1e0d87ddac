// holds
// H10: functions of the C library use blocks to the last byte, and blocks come and go where others were.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *argument) {
    for (size_t size = 1; size < 300; size += 43) {
        char *block = malloc(size), *other = malloc(size + 8);
        memset(block, 'x', size);
        memcpy(other, block, size);
        block[size - 1] = 0;
        strcpy(other, block);
        if (size > 3) sprintf(block, "%d", 123);
        block = realloc(block, 2 * size);
        memset(block, 0, 2 * size);
        block = realloc(block, size);
        memset(block, 0, size);
        free(other);
        free(block);
    }
    return argument;
}

int main(void) {
    pthread_t thread;
    work(0);
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    work(0);
    return 0;
}
