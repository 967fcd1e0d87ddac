// A folder that is empty is removed while a file is put into it: that comes too late, or the folder stays.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *worker(void *number)
{
    if ((long)number == 0)
        rmdir("store");
    else
        assert(open("store/file", O_CREAT | O_WRONLY, 0600) >= 0);
    return NULL;
}

int main(void)
{
    mkdir("store", 0700);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
