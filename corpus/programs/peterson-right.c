// Peterson's algorithm: at most one of the two is inside.
#include <pthread.h>
#include <sched.h>
#include <allways.h>

static volatile int wants[2], turn, inside;

static int must_wait(int me)
{
    aw_visible(me == 0 ? "wants 1" : "wants 0");
    if (!wants[1 - me])
        return 0;
    aw_visible("turn");
    return turn == 1 - me;
}

static void *worker(void *number)
{
    int me = (int)(long)number;
    aw_visible(me == 0 ? "wants 0" : "wants 1");
    wants[me] = 1;
    aw_visible("turn");
    turn = 1 - me;
    while (must_wait(me))
        sched_yield();
    aw_visible("inside");
    aw_assert(inside == 0);
    inside = 1;
    aw_visible("inside");
    inside = 0;
    aw_visible(me == 0 ? "wants 0" : "wants 1");
    wants[me] = 0;
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
