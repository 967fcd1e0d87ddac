// Two threads wait for one event, which wakes both.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t happened = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!flag)
        pthread_cond_wait(&happened, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_broadcast(&happened);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
