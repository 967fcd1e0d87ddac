// A thread reads a file of equal bytes and yields after each: all looks the same, but it gets on.
//! options --scratch
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static void *reader(void *unused)
{
    char byte;
    int file = open("bytes", O_RDONLY);
    while (read(file, &byte, 1) == 1)
        sched_yield();
    close(file);
    return unused;
}

int main(void)
{
    char bytes[50];
    memset(bytes, 'a', sizeof bytes);
    int file = open("bytes", O_CREAT | O_WRONLY, 0600);
    if (write(file, bytes, sizeof bytes) != sizeof bytes)
        return 1;
    close(file);
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    return 0;
}
