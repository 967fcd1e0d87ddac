// H1: whatever the program asks, it is told the same number of processors; and where it said a thread shall run is where it is told that it runs.
//! options --processors 5
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

static int on(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    return CPU_COUNT(&set);
}

static void *inherits(void *unused)
{
    assert(on() == 2 && sched_getcpu() < 3);
    return unused;
}

static void *runs_on_one(void *unused)
{
    assert(on() == 1 && sched_getcpu() == 4);
    return unused;
}

int main(void)
{
    cpu_set_t set;
    pthread_t thread;
    pthread_attr_t attributes;
    unsigned long words[16] = {0};
    assert(on() == 5 && get_nprocs() == 5 && get_nprocs_conf() == 5);
    assert(sysconf(_SC_NPROCESSORS_ONLN) == 5 && sysconf(_SC_NPROCESSORS_CONF) == 5);
    assert(syscall(SYS_sched_getaffinity, 0, sizeof words, words) == 8 && words[0] == 31);
    CPU_ZERO(&set);
    CPU_SET(900, &set);
    assert(sched_setaffinity(0, sizeof set, &set) == -1 && errno == EINVAL);
    CPU_SET(1, &set);
    CPU_SET(2, &set);
    assert(sched_setaffinity(0, sizeof set, &set) == 0 && on() == 2);
    pthread_create(&thread, 0, inherits, 0);
    pthread_join(thread, 0);
    CPU_ZERO(&set);
    CPU_SET(4, &set);
    pthread_attr_init(&attributes);
    assert(pthread_attr_setaffinity_np(&attributes, sizeof set, &set) == 0);
    pthread_create(&thread, &attributes, runs_on_one, 0);
    pthread_join(thread, 0);
    pthread_attr_destroy(&attributes);
    int child = fork();
    if (child == 0)
        _exit(on() == 2 ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    assert(status == 0);
    assert(sched_getaffinity(999999, sizeof set, &set) == -1 && errno == ESRCH);
    return 0;
}
