// R1: how the memory of the program is mapped can be read, and decides here how many steps there are. It is the same in every execution.
//! executions source 24
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;

static void *takes(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&shared);
    pthread_mutex_unlock(&shared);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    int n_lines = 0, character;
    FILE *maps = fopen("/proc/self/maps", "r");
    while ((character = getc(maps)) != EOF)
        n_lines += character == '\n';
    fclose(maps);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, takes, NULL);
    for (int i = 0; i < n_lines; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
