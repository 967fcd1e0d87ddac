// In the first executions one thread alone uses `x` and `y`; that another one does, too, depends on
// the order.
//! verdict deadlock violated
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t y = PTHREAD_MUTEX_INITIALIZER;
static int is_late;

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    int uses = is_late;
    pthread_mutex_unlock(&m);
    if (uses) {
        pthread_mutex_lock(&x);
        pthread_mutex_lock(&y);
        pthread_mutex_unlock(&y);
        pthread_mutex_unlock(&x);
    }
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&m);
    is_late = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&y);
    pthread_mutex_lock(&x);
    pthread_mutex_unlock(&x);
    pthread_mutex_unlock(&y);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
