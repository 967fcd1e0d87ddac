// What a thread had of its own is destroyed when it ends, which is a part of it: a count is lost there.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int n_freed;

static void destroy(void *value)
{
    free(value);
    pthread_mutex_lock(&mutex);
    int seen = n_freed;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    n_freed = seen + 1;
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *unused)
{
    pthread_setspecific(key, malloc(1));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(n_freed == 2);
    return 0;
}
