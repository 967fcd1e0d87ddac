/* Which limits of the address space does it see, and can it make a thread within them?
   Arguments: the soft and the hard limit in kilobytes, or -1. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *nothing(void *argument)
{
    return argument;
}

static rlim_t bytes(const char *number)
{
    long kilobytes = atol(number);
    return kilobytes < 0 ? RLIM_INFINITY : (rlim_t)kilobytes << 10;
}

int main(int argc, char **argv)
{
    assert(argc == 3);
    struct rlimit found, asked;
    assert(getrlimit(RLIMIT_AS, &found) == 0);
    assert(syscall(SYS_prlimit64, 0, RLIMIT_AS, NULL, &asked) == 0);
    assert(found.rlim_cur == asked.rlim_cur && found.rlim_max == asked.rlim_max);
    assert(found.rlim_cur == bytes(argv[1]) && found.rlim_max == bytes(argv[2]));
    pthread_t thread;
    assert(pthread_create(&thread, NULL, nothing, NULL) == 0);
    pthread_join(thread, NULL);
    assert(malloc((size_t)400 << 20) == NULL);
    // It may take away a soft limit.
    struct rlimit none = {found.rlim_max, found.rlim_max};
    if (found.rlim_max == RLIM_INFINITY) {
        assert(setrlimit(RLIMIT_AS, &none) == 0);
        assert(malloc((size_t)400 << 20) != NULL);
    }
    return 0;
}
