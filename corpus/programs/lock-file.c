// A file as a lock: who makes it is inside, the other one tries again and again.
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static volatile int inside;

static void *worker(void *unused)
{
    (void)unused;
    while (open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
        usleep(1000);
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
