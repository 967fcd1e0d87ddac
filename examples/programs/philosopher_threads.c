/*
 * Dining philosophers: N threads around a table, a mutex for each fork, left fork first.
 *
 *     gcc -pthread -o philosopher_threads philosopher_threads.c
 *     allways explore -- ./philosopher_threads 3
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t forks[64];
static int seats;

static void *dine(void *argument)
{
    long seat = (long)argument;
    pthread_mutex_t *left = &forks[seat], *right = &forks[(seat + 1) % seats];
    pthread_mutex_lock(left);
    pthread_mutex_lock(right);
    pthread_mutex_unlock(left);
    pthread_mutex_unlock(right);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t philosophers[64];
    seats = argc > 1 ? atoi(argv[1]) : 2;
    if (seats < 2 || seats > 64)
        return 2;
    for (int fork = 0; fork < seats; fork++)
        pthread_mutex_init(&forks[fork], NULL);
    for (long seat = 0; seat < seats; seat++)
        if (pthread_create(&philosophers[seat], NULL, dine, (void *)seat) != 0)
            return 2;
    for (int seat = 0; seat < seats; seat++)
        pthread_join(philosophers[seat], NULL);
    return 0;
}
