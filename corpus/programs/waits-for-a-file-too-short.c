// The same, but the file is there before it is complete.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *worker(void *number)
{
    struct stat status;
    if ((long)number == 0) {
        FILE *file = fopen("result", "w");
        fputs("ready", file);
        fclose(file);
    } else {
        while (stat("result", &status) != 0)
            usleep(1000);
        assert(status.st_size == 5);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
