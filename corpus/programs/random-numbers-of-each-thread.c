// H7: the twin of random-numbers-of-one-state: one thread draws, the others have states of their own, and nothing is to be put into any order.
//! executions source 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *draw(void *unused)
{
    unsigned state = 1;
    unsigned short words[3] = {1, 2, 3};
    rand_r(&state);
    erand48(words);
    nrand48(words);
    return unused;
}

int main(void)
{
    pthread_t thread, other;
    srand(1);
    int first = rand();
    srand(1);
    pthread_create(&thread, 0, draw, 0);
    pthread_create(&other, 0, draw, 0);
    assert(rand() == first);
    pthread_join(thread, 0);
    pthread_join(other, 0);
    return 0;
}
