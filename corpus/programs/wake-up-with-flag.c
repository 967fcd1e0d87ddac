// The waiter asks for the event under the lock before it waits: no signal is lost.
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
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&happened);
    pthread_join(thread, NULL);
    return 0;
}
