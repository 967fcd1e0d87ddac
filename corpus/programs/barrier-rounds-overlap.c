// A barrier for two with three threads: who still has to leave one round does not wait for the next one.
//! verdict deadlock violated
//! verdict assertions violated
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <allways.h>

static pthread_barrier_t barrier;
/* For each thread, in which rounds it was the last one. */
static char was_last[3][4];

static void *worker(void *number)
{
    int me = (int)(intptr_t)number;
    for (int round = 0; round <= me; round++)
        was_last[me][round] = pthread_barrier_wait(&barrier) == 0 ? '-' : '+';
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    /* Third and second thread, first and third, second and third; the latter is the last one of each pair. */
    aw_assert(strcmp(was_last[0], "-") || strcmp(was_last[1], "+-") || strcmp(was_last[2], "-++"));
}
