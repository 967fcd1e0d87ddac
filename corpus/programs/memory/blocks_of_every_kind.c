// holds
// H10: blocks from every function that gives out memory, of many sizes, are used to the last byte; some are longer than was asked for, and known to be.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(volatile char *block, size_t size) {
    for (size_t i = 0; i < size; i++) block[i] = 1;
}

static void *work(void *argument) {
    for (size_t size = 1; size < 200; size += 27) {
        void *block;
        if (posix_memalign(&block, 64, size)) return argument;
        fill(block, size);
        free(block);
        fill(block = valloc(size), size);
        free(block);
        fill(block = pvalloc(size), 4096);
        free(block);
        fill(block = aligned_alloc(32, size), size);
        free(block);
        fill(block = calloc(size, 3), 3 * size);
        fill(block = reallocarray(block, size, 5), 5 * size);
        fill(block = realloc(block, size), size);
        fill(block, malloc_usable_size(block));
        free(block);
    }
    char *text = strdup("text"), *line;
    text[4] = 0;
    if (asprintf(&line, "%s %d", text, 5) > 0) line[strlen(line)] = 0;
    free(line);
    free(text);
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    fprintf(stream, "%0300d", 1);
    fclose(stream);
    fill(text, length + 1);
    free(text);
    return argument;
}

int main(void) {
    pthread_t thread;
    work(0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    work(0);
    return 0;
}
