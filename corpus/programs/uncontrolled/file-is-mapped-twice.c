// A lock that a process has in two mappings of one file.
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t *locks[2];
static int is_inside;

static void *work(void *number)
{
    pthread_mutex_lock(locks[(long)number]);
    assert(!is_inside);
    is_inside = 1;
    is_inside = 0;
    pthread_mutex_unlock(locks[(long)number]);
    return NULL;
}

int main(void)
{
    int file = open("lock", O_CREAT | O_RDWR, 0600);
    assert(ftruncate(file, sizeof(pthread_mutex_t)) == 0);
    for (int i = 0; i < 2; i++)
        locks[i] = mmap(NULL, sizeof(pthread_mutex_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
