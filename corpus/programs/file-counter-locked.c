// The same counter under a lock: its order is that of the lock.
//! options --scratch
//! executions source 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(void)
{
    char value = 0;
    int file = open("count", O_RDWR);
    assert(pread(file, &value, 1, 0) == 1);
    value++;
    assert(pwrite(file, &value, 1, 0) == 1);
    close(file);
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    add();
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    int file = open("count", O_CREAT | O_WRONLY, 0600);
    assert(write(file, "", 1) == 1);
    close(file);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    char value = 0;
    file = open("count", O_RDONLY);
    assert(read(file, &value, 1) == 1 && value == 2);
    return 0;
}
