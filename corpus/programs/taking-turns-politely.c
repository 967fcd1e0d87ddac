// Two threads hand a turn to each other three hundred times. They only yield, but they get somewhere.
#include <pthread.h>
#include <sched.h>

static volatile int turn;

static void *worker(void *number)
{
    int me = (int)(long)number;
    for (int round = 0; round < 300; round++) {
        while (turn != me)
            sched_yield();
        turn = !me;
    }
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
