// holds
// Two threads scan numbers into the same variable, one after the other.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    assert(sscanf(argument ? "width 1" : "width 0", "%*s %d", &number) == 1);
    assert(number == (argument != NULL));
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
