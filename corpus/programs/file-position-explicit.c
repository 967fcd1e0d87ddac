// Each thread says where it reads. Nobody moves anything, so there is nothing to try.
//! options --scratch
//! executions naive 1
//! executions source 1
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

static void *worker(void *number)
{
    char byte = 0;
    assert(pread(file, &byte, 1, (long)number) == 1 && byte == "ab"[(long)number]);
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
