// The same, by `freopen`, and each thread prints at once.
//! options --scratch
//! executions source 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *worker(void *number)
{
    const char *name = (long)number == 0 ? "a" : "b";
    printf("<%s>", name);
    return NULL;
}

int main(void)
{
    assert(freopen("log", "w", stdout) != NULL);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    char text[9] = "";
    fflush(stdout);
    int file = open("log", O_RDONLY);
    assert(read(file, text, sizeof text - 1) == 6);
    assert(strcmp(text, "<a><b>") == 0 || strcmp(text, "<b><a>") == 0);
    return 0;
}
