// H11: a thread frees the memory of a mutex that it holds; then there is no mutex any more when it ends.
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *unused)
{
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_mutex_lock(mutex);
    free(mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
