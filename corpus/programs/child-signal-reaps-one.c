// The function for SIGCHLD waits for one child only, but signals for several of them may be one.
//! verdict deadlock violated
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static volatile sig_atomic_t reaped;

static void reap(int signal)
{
    (void)signal;
    if (waitpid(-1, NULL, WNOHANG) > 0)
        reaped++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = reap, .sa_flags = SA_RESTART};
    sigset_t child, old;
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &old);
    for (int number = 0; number < 2; number++)
        if (fork() == 0)
            _exit(0);
    while (reaped < 2)
        sigsuspend(&old);
    return 0;
}
