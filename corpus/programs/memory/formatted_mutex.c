// holds
// A name is printed by one thread and changed by another, one after the other.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char name[16] = "nobody";

static void *show(void *unused)
{
    pthread_mutex_lock(&mutex);
    printf("%5.1f %% of %s\n", 12.5, name);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *rename_it(void *unused)
{
    pthread_mutex_lock(&mutex);
    name[0] = 'N';
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, show, NULL);
    pthread_create(&threads[1], NULL, rename_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
