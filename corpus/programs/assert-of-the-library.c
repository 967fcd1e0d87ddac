// The usual assert fails in one order.
//! verdict assertions violated
#undef NDEBUG
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turn;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    turn = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    int seen = turn;
    pthread_mutex_unlock(&mutex);
    assert(seen == 0);
    pthread_join(thread, NULL);
    return 0;
}
