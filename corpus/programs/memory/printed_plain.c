// violated: races
// Two threads print their names into the same place.
#include <pthread.h>
#include <stdio.h>

static char name[16];

static void *work(void *argument)
{
    snprintf(name, sizeof name, "worker %ld of %s", (long)argument, "two");
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
