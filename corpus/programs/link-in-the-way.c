// A link leads to another file while somebody writes through it.
//! options --scratch
//! executions source 3
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *worker(void *number)
{
    if ((long)number == 0) {
        assert(unlink("way") == 0);
        assert(symlink("two", "way") == 0);
    } else {
        int file = open("way/file", O_CREAT | O_WRONLY, 0600);
        assert(file >= 0);
        close(file);
    }
    return NULL;
}

int main(void)
{
    assert(mkdir("one", 0700) == 0 && mkdir("two", 0700) == 0);
    assert(symlink("one", "way") == 0);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
