// That another one has made the folder is as good.
//! options --scratch
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

static void *worker(void *unused)
{
    (void)unused;
    struct stat status;
    if (stat("store", &status) != 0)
        assert(mkdir("store", 0700) == 0 || errno == EEXIST);
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
