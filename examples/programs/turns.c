/*
 * Threads that lock and unlock one mutex: `turns 2 4` is two threads, four times each.
 *
 *     gcc -pthread -o turns turns.c
 *     allways explore -- ./turns 2 4
 *
 * The executions that differ are the orders of the turns: (2 * 4)! / (4! * 4!) = 70.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *take_turns(void *argument)
{
    (void)argument;
    for (int turn = 0; turn < turns; turn++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[32];
    int count = argc > 1 ? atoi(argv[1]) : 2;
    turns = argc > 2 ? atoi(argv[2]) : 4;
    if (count < 1 || count > 32)
        return 2;
    for (int thread = 0; thread < count; thread++)
        if (pthread_create(&threads[thread], NULL, take_turns, NULL) != 0)
            return 2;
    for (int thread = 0; thread < count; thread++)
        pthread_join(threads[thread], NULL);
    return 0;
}
