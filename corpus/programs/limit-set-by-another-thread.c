// The limits are those of the process: no file can be opened, and no pipe made, after another thread has set the limit to 0.
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void *limits(void *argument)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &limit);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, limits, NULL);
    int file = open("/dev/null", O_RDONLY);
    assert(file >= 0);
    pthread_join(thread, NULL);
    return 0;
}
