// Each thread has files of its own, in one folder: nobody else looks at them.
//! options --scratch
//! executions naive 1
//! executions source 1
//! executions persistent 1
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *worker(void *number)
{
    char path[20], draft[20];
    snprintf(path, sizeof path, "file-%ld", (long)number);
    snprintf(draft, sizeof draft, "draft-%ld", (long)number);
    FILE *file = fopen(draft, "w");
    fprintf(file, "%ld\n", (long)number);
    fclose(file);
    assert(rename(draft, path) == 0 && access(draft, F_OK) != 0);
    struct stat status;
    assert(stat(path, &status) == 0 && status.st_size == 2);
    assert(unlink(path) == 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
