// H11: mutexes that are never destroyed, in memory that is given back or left: each is a new one. A child initialises what its parent held.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_t own;
    pthread_mutex_init(&own, NULL);
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    return unused;
}

static void on_the_heap(void)
{
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_mutex_lock(mutex);
    free(mutex);
}

int main(void)
{
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
        pthread_join(thread, NULL);
        on_the_heap();
        worker(NULL);
    }
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    if (fork() == 0) {
        pthread_mutex_init(&mutex, NULL);
        pthread_mutex_lock(&mutex);
        _exit(0);
    }
    pthread_mutex_unlock(&mutex);
    wait(NULL);
    return 0;
}
