// A file is written under another name, and then takes the place of the old one: who reads finds one or the other.
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put(const char *path, const char *text)
{
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert(write(file, text, 3) == 3);
    close(file);
}

static void publish(void)
{
    put("draft", "new");
    assert(rename("draft", "news") == 0);
}

static void *worker(void *number)
{
    if ((long)number == 0) {
        publish();
        return NULL;
    }
    char text[4] = "";
    int file = open("news", O_RDONLY);
    assert(file >= 0 && read(file, text, 3) == 3);
    assert(strcmp(text, "old") == 0 || strcmp(text, "new") == 0);
    close(file);
    return NULL;
}

int main(void)
{
    put("news", "old");
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
