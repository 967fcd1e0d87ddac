// A process waits for its child with sigsuspend, but the signal was let through before: it may come just before the wait.
//! verdict deadlock violated
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;

static void note(int signal)
{
    (void)signal;
    is_over = 1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = note};
    sigset_t nothing;
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&nothing);
    if (fork() == 0)
        _exit(0);
    while (!is_over)
        sigsuspend(&nothing);
    wait(NULL);
    return 0;
}
