// violated: races
// One thread asks for the size of a file, another one looks what it found out.
#include <pthread.h>
#include <sys/stat.h>

static struct stat status;
static volatile long seen;

static void *work(void *argument)
{
    if (argument)
        stat(".", &status);
    else
        seen = status.st_size;
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
