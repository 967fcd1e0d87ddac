// One thread asks where it is while another renames a folder above.
//! options --scratch
//! executions source 2
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *worker(void *number)
{
    char path[1000];
    if ((long)number == 0)
        assert(rename("../../above", "../../renamed") == 0);
    else
        assert(getcwd(path, sizeof path) != NULL && strstr(path, "/above/") != NULL);
    return NULL;
}

int main(void)
{
    assert(mkdir("above", 0700) == 0 && mkdir("above/below", 0700) == 0 && chdir("above/below") == 0);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(1 - i));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
