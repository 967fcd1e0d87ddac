// Whoever makes the file first has won. Each execution begins without it.
//! options --scratch
//! executions source 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int winners;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    int file = open("mark", O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file >= 0) {
        winners++;
        close(file);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(winners == 1);
    return 0;
}
