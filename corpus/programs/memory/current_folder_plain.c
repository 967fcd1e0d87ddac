// violated: races
// Two threads ask for the current folder, into the same memory.
#include <pthread.h>
#include <unistd.h>

static char folder[4096];

static void *work(void *argument)
{
    if (getcwd(folder, sizeof folder) == NULL)
        _exit(1);
    return argument;
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
