// System calls that know limits leave out what is reserved for exploring, too (F7).
//! compile -O1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *nothing(void *argument)
{
    return argument;
}

static long directly(long number, long a, long b, const void *c, void *d)
{
    register void *fourth asm("r10") = d;
    long result;
    asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
    return result;
}

int main(void)
{
    struct rlimit wanted = {60 << 20, RLIM_INFINITY}, found = {0, 0};
    assert(directly(SYS_prlimit64, 0, RLIMIT_AS, &wanted, NULL) == 0);
    assert(syscall(SYS_getrlimit, RLIMIT_AS, &found) == 0);
    assert(found.rlim_cur == wanted.rlim_cur && found.rlim_max == wanted.rlim_max);
    pthread_t thread;
    assert(pthread_create(&thread, NULL, nothing, NULL) == 0);
    pthread_join(thread, NULL);
    assert(malloc((size_t)60 << 20) == NULL);
    wanted.rlim_cur = 100 << 20;
    assert(syscall(SYS_setrlimit, RLIMIT_AS, &wanted) == 0);
    assert(malloc((size_t)60 << 20) != NULL);
    // The soft limit cannot be more than the hard one.
    struct rlimit wrong = {2, 1};
    assert(directly(SYS_prlimit64, 0, RLIMIT_AS, &wrong, NULL) == -EINVAL);
    assert(syscall(SYS_prlimit64, 0, RLIMIT_AS, &wrong, NULL) == -1 && errno == EINVAL);
    return 0;
}
