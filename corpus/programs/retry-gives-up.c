// A thread that tries three times and then gives up can be that unlucky.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    for (int tries = 0; tries < 3; tries++) {
        if (pthread_mutex_trylock(&lock) == 0) {
            pthread_mutex_unlock(&lock);
            return unused;
        }
    }
    assert(!"gave up");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
