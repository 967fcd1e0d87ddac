// Two threads move the position of one descriptor before they read: one of them may read where the other wants to.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

static void *worker(void *number)
{
    char byte = 0;
    lseek(file, (long)number, SEEK_SET);
    assert(read(file, &byte, 1) == 1 && byte == "ab"[(long)number]);
    return NULL;
}

int main(void)
{
    file = open("bytes", O_CREAT | O_RDWR, 0600);
    assert(write(file, "ab", 2) == 2);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
