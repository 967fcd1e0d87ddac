// A thread makes a file in its folder, which another one may have removed.
//! options --scratch
//! executions source 2
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *worker(void *number)
{
    if ((long)number == 0)
        (void)!rmdir("../below");
    else
        assert(open("file", O_CREAT | O_WRONLY, 0600) < 0);
    return NULL;
}

int main(void)
{
    assert(mkdir("below", 0700) == 0 && chdir("below") == 0);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
