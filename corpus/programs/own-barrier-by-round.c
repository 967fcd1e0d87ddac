// Who waits until the round is over goes on even if the next one has begun.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_there = PTHREAD_COND_INITIALIZER;
static int n_arrived, n_rounds;

static void meet(void)
{
    pthread_mutex_lock(&mutex);
    int round = n_rounds;
    if (++n_arrived == 2) {
        n_arrived = 0;
        n_rounds++;
        pthread_cond_broadcast(&all_there);
    }
    while (round == n_rounds)
        pthread_cond_wait(&all_there, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *unused)
{
    meet();
    meet();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
