// Masks and actions as System V and BSD change them: what is held does not end the process.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>

static volatile int count;

static void counts(int signal)
{
    (void)signal;
    count++;
}

int main(void)
{
    sigset_t pending;
    sighold(SIGUSR1);
    raise(SIGUSR1);
    sigpending(&pending);
    assert(sigismember(&pending, SIGUSR1));
    sigignore(SIGUSR1);
    sigrelse(SIGUSR1);
    raise(SIGUSR1);
    sigset(SIGUSR2, counts);
    raise(SIGUSR2);
    assert(count == 1);
    assert(sigset(SIGUSR2, SIG_HOLD) == counts);
    raise(SIGUSR2);
    assert(count == 1);
    assert(sigset(SIGUSR2, counts) == SIG_HOLD);
    assert(count == 2);
    int before = sigblock(sigmask(SIGUSR2));
    raise(SIGUSR2);
    assert(count == 2 && (sigblock(0) & sigmask(SIGUSR2)));
    sigsetmask(before);
    assert(count == 3);
    sighold(SIGUSR2);
    raise(SIGUSR2);
    sigpause(SIGUSR2);
    assert(count == 4);
    return 0;
}
