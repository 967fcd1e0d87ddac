// A file is closed while another thread writes to it.
//! options --scratch
//! executions source 2
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

static void *worker(void *number)
{
    if ((long)number == 0)
        assert(write(file, "a", 1) == 1);
    else
        close(file);
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
