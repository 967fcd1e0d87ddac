// One thread changes a file through a mapping, another one reads it.
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int file;
static char *bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *unused)
{
    pthread_mutex_lock(&lock);
    bytes[0] = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused)
{
    char byte;
    assert(pread(file, &byte, 1, 0) == 1 && byte == 0);
    return unused;
}

int main(void)
{
    file = open("bytes", O_CREAT | O_RDWR, 0600);
    assert(ftruncate(file, 1) == 0);
    bytes = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, change, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
