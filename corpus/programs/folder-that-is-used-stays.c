// A folder with a file in it is not removed.
//! options --scratch
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *worker(void *number)
{
    if ((long)number == 0)
        assert(rmdir("store") != 0 && errno == ENOTEMPTY);
    else
        assert(open("store/other", O_CREAT | O_WRONLY, 0600) >= 0);
    return NULL;
}

int main(void)
{
    mkdir("store", 0700);
    close(open("store/file", O_CREAT | O_WRONLY, 0600));
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
