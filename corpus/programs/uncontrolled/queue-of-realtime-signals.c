// Two realtime signals of one number wait, and both arrive. It is not known here how many wait: nothing may be said of what comes after.
#include <assert.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t n_calls;

static void handler(int signal)
{
    n_calls++;
}

int main(void)
{
    sigset_t signals;
    signal(SIGRTMIN, handler);
    sigemptyset(&signals);
    sigaddset(&signals, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    kill(getpid(), SIGRTMIN);
    kill(getpid(), SIGRTMIN);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    assert(n_calls == 2);
    return 0;
}
