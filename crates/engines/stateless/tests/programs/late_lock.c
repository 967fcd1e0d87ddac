/*
 * Two threads that look independent until one schedule shows that they are not: the first takes both locks in the other
 * order, but only if the second has set the flag before.
 */
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *first(void *unused)
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

static void *second(void *unused)
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
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
