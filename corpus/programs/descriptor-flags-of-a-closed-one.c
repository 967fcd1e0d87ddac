// `fcntl` finds a descriptor, or that another thread has closed it.
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

static void *closes(void *argument)
{
    close(file);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    file = open("/dev/null", O_RDONLY);
    pthread_create(&thread, NULL, closes, NULL);
    int flags = fcntl(file, F_GETFD);
    pthread_join(thread, NULL);
    assert(flags >= 0);
    return 0;
}
