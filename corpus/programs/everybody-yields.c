// Two threads wait for each other, politely: everybody runs and nothing happens.
//! verdict livelock violated
#include <pthread.h>
#include <sched.h>
#include <allways.h>

static volatile int flags[2];

static int get(int number)
{
    aw_visible(number == 0 ? "flag 0" : "flag 1");
    return flags[number];
}

static void *worker(void *number)
{
    int me = (int)(long)number;
    while (!get(1 - me))
        sched_yield();
    aw_visible(me == 0 ? "flag 0" : "flag 1");
    flags[me] = 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
