// Two threads move the position of one stream before they read.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *worker(void *number)
{
    fseek(file, (long)number, SEEK_SET);
    assert(fgetc(file) == "ab"[(long)number]);
    return NULL;
}

int main(void)
{
    file = fopen("bytes", "w+");
    fputs("ab", file);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
