// A folder that is not there is made: both may find none, and one of them fails.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

static void *worker(void *unused)
{
    (void)unused;
    struct stat status;
    if (stat("store", &status) != 0)
        assert(mkdir("store", 0700) == 0);
    assert(stat("store", &status) == 0 && S_ISDIR(status.st_mode));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
