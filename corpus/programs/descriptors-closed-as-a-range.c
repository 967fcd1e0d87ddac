// `close_range` closes a file of another thread, which finds it or does not.
//! verdict assertions violated
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int descriptor;

static void *closes(void *unused)
{
    close_range(descriptor, descriptor, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    descriptor = open("/dev/null", O_RDONLY);
    pthread_create(&thread, NULL, closes, NULL);
    int flags = fcntl(descriptor, F_GETFD);
    pthread_join(thread, NULL);
    assert(flags >= 0);
    return 0;
}
