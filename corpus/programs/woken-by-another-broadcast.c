// Two threads wake all who wait, one of them for no reason. Who waits without looking again may be woken by either.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *with_reason(void *unused)
{
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *without_reason(void *unused)
{
    pthread_cond_broadcast(&changed);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_mutex_lock(&mutex);
    pthread_create(&threads[0], NULL, with_reason, NULL);
    pthread_create(&threads[1], NULL, without_reason, NULL);
    pthread_cond_wait(&changed, &mutex);
    assert(is_ready);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
