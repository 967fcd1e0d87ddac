// The function for a signal runs before or after what the main program does, but it does run before the end is seen.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static volatile sig_atomic_t seen;

static void note(int signal)
{
    seen = signal;
}

int main(void)
{
    struct sigaction action = {.sa_handler = note};
    sigset_t usr1, old;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, &old);
    pid_t parent = getpid();
    if (fork() == 0) {
        kill(parent, SIGUSR1);
        _exit(0);
    }
    while (!seen)
        sigsuspend(&old);
    aw_assert(seen == SIGUSR1);
    wait(NULL);
    return 0;
}
