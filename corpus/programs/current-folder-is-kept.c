// The file is opened from where the folder was.
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder;

static void *worker(void *number)
{
    if ((long)number == 0)
        assert(chdir("below") == 0);
    else
        assert(openat(folder, "file", O_RDONLY) >= 0);
    return NULL;
}

int main(void)
{
    mkdir("below", 0700);
    close(open("file", O_CREAT | O_WRONLY, 0600));
    folder = open(".", O_RDONLY | O_DIRECTORY);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
