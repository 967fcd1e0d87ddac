// One thread makes a file longer and cuts it back; another one may see that.
//! options --scratch
//! executions source 3
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static int file;

static void *worker(void *number)
{
    struct stat status;
    if ((long)number == 0)
        assert(ftruncate(file, 10) == 0 && ftruncate(file, 0) == 0);
    else
        assert(fstat(file, &status) == 0 && status.st_size == 0);
    return NULL;
}

int main(void)
{
    file = open("bytes", O_CREAT | O_RDWR, 0600);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
