// One thread lets a stream go to another file while another one writes two lines: each may be in another file.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *change(void *unused)
{
    stream = freopen("second", "w", stream);
    return unused;
}

static void *print(void *unused)
{
    fputs("1\n", stream);
    fputs("2\n", stream);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    stream = fopen("first", "w");
    pthread_create(&threads[0], NULL, print, NULL);
    pthread_create(&threads[1], NULL, change, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fclose(stream);
    char bytes[10];
    stream = fopen("first", "r");
    size_t length = fread(bytes, 1, sizeof bytes, stream);
    assert(length == 0 || length == 4);
    return 0;
}
