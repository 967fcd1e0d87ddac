// One thread looks for a file beside its folder while another moves the folder elsewhere.
//! options --scratch
//! executions source 2
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int top;

static void *worker(void *number)
{
    if ((long)number == 0)
        assert(renameat(top, "first/moved", top, "second/moved") == 0);
    else
        assert(access("../file", F_OK) == 0);
    return NULL;
}

int main(void)
{
    assert(mkdir("first", 0700) == 0 && mkdir("second", 0700) == 0 && mkdir("first/moved", 0700) == 0);
    close(open("first/file", O_CREAT | O_WRONLY, 0600));
    top = open(".", O_RDONLY | O_DIRECTORY);
    assert(chdir("first/moved") == 0);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(1 - i));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
