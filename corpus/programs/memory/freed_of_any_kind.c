// holds
// Blocks of all sizes and functions are given back, by threads that did not get them, too.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *blocks[8];

static void *work(void *unused)
{
    for (int i = 0; i < 8; i++)
        free(blocks[i]);
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen("/dev/null", "r");
    (void)!getline(&line, &size, file);
    fclose(file);
    free(line);
    free(NULL);
    return unused;
}

int main(void)
{
    blocks[0] = malloc(1);
    blocks[1] = calloc(10, 10);
    blocks[2] = realloc(realloc(NULL, 10), 1000);
    blocks[3] = aligned_alloc(4096, 8192);
    blocks[4] = malloc(1 << 20);
    blocks[5] = strdup("text");
    blocks[6] = realloc(malloc(1 << 20), 100);
    (void)!posix_memalign(&blocks[7], 64, 100);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    free(malloc(100));
    return 0;
}
