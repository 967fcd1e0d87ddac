/*
 * Two threads that look independent after the first lock, until one schedule shows that they are not: one takes both locks in the
 * other order, but only if the other has set the flag before.
 */
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *looks_at_flag(void *unused)
{
    pthread_mutex_lock(&guard);
    int seen = flag;
    pthread_mutex_unlock(&guard);
    if (seen) {
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
    }
    return unused;
}

static void *sets_flag(void *unused)
{
    pthread_mutex_lock(&guard);
    flag = 1;
    pthread_mutex_unlock(&guard);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, sets_flag, 0);
    pthread_create(&threads[1], 0, looks_at_flag, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
