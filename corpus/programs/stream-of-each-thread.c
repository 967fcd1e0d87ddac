// Each thread has a stream of its own on the same file, and only reads.
//! options --scratch
//! executions naive 1
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *worker(void *number)
{
    FILE *file = fopen("bytes", "r");
    fseek(file, (long)number, SEEK_SET);
    assert(fgetc(file) == "ab"[(long)number]);
    fclose(file);
    return NULL;
}

int main(void)
{
    FILE *file = fopen("bytes", "w");
    fputs("ab", file);
    fclose(file);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
