// `ualarm` is `setitimer` in microseconds: it ends a wait, and takes less than a second.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void comes(int signal)
{
    (void)signal;
    count++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = comes};
    sigaction(SIGALRM, &action, NULL);
    sigset_t alarms, old;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarms, &old);
    assert(ualarm(200000, 0) == 0);
    while (count == 0)
        sigsuspend(&old);
    assert(count == 1);
    assert(ualarm(1000000, 0) == (useconds_t)-1 && errno == EINVAL);
    assert(ualarm(0, 0) == 0);
    return 0;
}
