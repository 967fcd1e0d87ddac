// A thread gives up after many tries that fail. That it does not get on for so long is no livelock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *tries(void *unused)
{
    for (int i = 0; i < 2500; i++)
        if (pthread_mutex_trylock(&lock) == 0)
            pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, tries, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}
