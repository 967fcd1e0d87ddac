// The flag is set without the lock, between the question of the waiter and its wait: the signal is lost all the same.
//! verdict deadlock violated
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t happened = PTHREAD_COND_INITIALIZER;
static volatile int flag;

static int get(void)
{
    aw_visible("flag");
    return flag;
}

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!get())
        pthread_cond_wait(&happened, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    aw_visible("flag");
    flag = 1;
    pthread_cond_signal(&happened);
    pthread_join(thread, NULL);
    return 0;
}
