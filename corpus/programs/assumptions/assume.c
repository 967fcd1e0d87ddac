// A thread assumes something that only some schedules make true. `1`: it is never true; `2`: where it is true, an assertion fails;
// `3`: the thread whose assumption is false comes before a deadlock of the others.
#include <pthread.h>
#include <stdlib.h>

#include "allways.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int value, mode;

static void *writer(void *unused)
{
    pthread_mutex_lock(&lock);
    value = 1;
    if (mode == 3) {
        pthread_mutex_lock(&other);
        pthread_mutex_unlock(&other);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *reader(void *unused)
{
    pthread_mutex_lock(&other);
    if (mode == 3) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&other);
    return unused;
}

static void *assumes(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = value;
    pthread_mutex_unlock(&lock);
    aw_assume(mode == 1 ? seen == 2 : seen == 1);
    aw_assert(mode != 2);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    mode = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&threads[0], NULL, assumes, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
