// A thread locks its own mutex very often; what two threads share is short.
#include <assert.h>
#include <pthread.h>

enum { OFTEN = 20000 };
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, shared = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void take_turn(int number)
{
    pthread_mutex_lock(&shared);
    if (first == 0)
        first = number;
    pthread_mutex_unlock(&shared);
}

static void *busy(void *unused)
{
    for (int round = 0; round < OFTEN; round++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    take_turn(1);
    return unused;
}

static void *idle(void *unused)
{
    take_turn(2);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, busy, NULL);
    pthread_create(&threads[1], NULL, idle, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(first == 1);
    return 0;
}
