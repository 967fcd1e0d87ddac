// holds
// Two barriers: nobody changes what the other still reads.
#include <pthread.h>

static pthread_barrier_t barrier;
static int cells[2];
int sums[2];

static void *work(void *number) {
    int me = (int)(long)number;
    cells[me] = me + 1;
    pthread_barrier_wait(&barrier);
    sums[me] = cells[0] + cells[1];
    pthread_barrier_wait(&barrier);
    cells[me] = sums[me];
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 2);
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
