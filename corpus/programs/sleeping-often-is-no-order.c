// Whoever sleeps three times can still be the first.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void come(int number)
{
    pthread_mutex_lock(&lock);
    if (first == 0)
        first = number;
    pthread_mutex_unlock(&lock);
}

static void *sleeper(void *unused)
{
    for (int naps = 0; naps < 3; naps++)
        usleep(1000);
    come(2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
    come(1);
    pthread_join(thread, NULL);
    assert(first == 1);
    return 0;
}
