// violated: races
// Peterson's algorithm with plain variables: right if memory is sequentially consistent, but it races.
#include <assert.h>
#include <pthread.h>


static volatile int wants[2], turn;
static int inside;

static void *enter(void *number) {
    int me = (int)(long)number;
    wants[me] = 1;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me) {}
    inside++;
    assert(inside == 1);
    inside--;
    wants[me] = 0;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, enter, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
