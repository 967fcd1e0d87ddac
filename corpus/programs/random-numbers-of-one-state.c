// H7: two threads draw from the same state, so it matters which draws first.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int drawn;

static void *draw(void *unused)
{
    drawn = rand();
    return unused;
}

int main(void)
{
    pthread_t thread;
    srand(1);
    int first = rand(), second = rand();
    srand(1);
    pthread_create(&thread, 0, draw, 0);
    int own = rand();
    pthread_join(thread, 0);
    assert(own == first && drawn == second);
    return 0;
}
