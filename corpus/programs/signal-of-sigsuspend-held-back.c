// After `sigsuspend` the mask from before holds: what its function held back stays blocked.
#include <assert.h>
#include <signal.h>
#include <stddef.h>

static volatile int seconds;

static void first(int signal)
{
    (void)signal;
    raise(SIGUSR2);
}

static void second(int signal)
{
    (void)signal;
    seconds++;
}

int main(void)
{
    sigset_t both, none;
    struct sigaction action = {.sa_handler = first};
    sigemptyset(&none);
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    sigprocmask(SIG_BLOCK, &both, NULL);
    action.sa_mask = both;
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGUSR2, second);
    raise(SIGUSR1);
    sigsuspend(&none);
    assert(seconds == 0);
    sigprocmask(SIG_UNBLOCK, &both, NULL);
    assert(seconds == 1);
    return 0;
}
