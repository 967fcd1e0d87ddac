// A counter in a variable of the environment: an update can be lost.
//! executions source 4
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    (void)unused;
    char next[2] = {getenv("COUNT")[0] + 1, 0};
    setenv("COUNT", next, 1);
    return NULL;
}

int main(void)
{
    pthread_mutex_lock(&lock);
    setenv("COUNT", "0", 1);
    pthread_mutex_unlock(&lock);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(strcmp(getenv("COUNT"), "2") == 0);
    return 0;
}
