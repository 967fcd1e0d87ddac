// An alarm comes at any time, also before the wait: it must be waited for in one step.
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t is_late;

static void late(int signal)
{
    is_late = signal;
}

int main(void)
{
    sigset_t alarms, old;
    signal(SIGALRM, late);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarms, &old);
    alarm(1);
    while (!is_late)
        sigsuspend(&old);
    return 0;
}
