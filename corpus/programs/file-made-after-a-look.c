// Whoever finds no file makes it: both may find none.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int winners;

static void *worker(void *unused)
{
    (void)unused;
    if (access("mark", F_OK) == 0)
        return NULL;
    int file = open("mark", O_CREAT | O_WRONLY, 0600);
    if (file < 0)
        return NULL;
    close(file);
    pthread_mutex_lock(&lock);
    winners++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(winners == 1);
    return 0;
}
