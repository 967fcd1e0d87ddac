// It is handed on while it is held: whoever gets it waits for ever.
//! verdict deadlock violated
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t second;

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *keeps(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_create(&second, NULL, waits, NULL);
    pthread_join(second, NULL);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t first;
    pthread_create(&first, NULL, keeps, NULL);
    pthread_join(first, NULL);
    return 0;
}
