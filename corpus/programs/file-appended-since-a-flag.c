// Another thread sets `O_APPEND` of a file: the byte is written at the beginning or at the end.
//! verdict assertions violated
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int file;

static void *appends(void *argument)
{
    fcntl(file, F_SETFL, O_APPEND);
    return NULL;
}

int main(void)
{
    char name[] = "/tmp/appendedXXXXXX";
    struct stat status;
    pthread_t thread;
    file = mkstemp(name);
    unlink(name);
    write(file, "ab", 2);
    lseek(file, 0, SEEK_SET);
    pthread_create(&thread, NULL, appends, NULL);
    write(file, "c", 1);
    pthread_join(thread, NULL);
    fstat(file, &status);
    assert(status.st_size == 2);
    return 0;
}
