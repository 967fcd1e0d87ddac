// One thread lets a stream go to another file while another one writes two lines, both under a lock: the lines are in one file.
//! options --scratch
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *stream;

static void *change(void *unused)
{
    pthread_mutex_lock(&lock);
    stream = freopen("second", "w", stream);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *print(void *unused)
{
    pthread_mutex_lock(&lock);
    fputs("1\n", stream);
    fputs("2\n", stream);
    pthread_mutex_unlock(&lock);
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
