// A file as a lock, made when it is not there: both may be inside.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static volatile int inside;

static void *worker(void *unused)
{
    (void)unused;
    while (access("lock", F_OK) == 0)
        usleep(1000);
    close(open("lock", O_CREAT | O_WRONLY, 0600));
    assert(inside == 0);
    inside = 1;
    close(open("inside", O_CREAT | O_WRONLY, 0600));
    inside = 0;
    unlink("lock");
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
