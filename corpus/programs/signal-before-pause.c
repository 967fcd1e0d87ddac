// Between the look at the flag and the wait the signal may come: then the wait is for ever.
//! verdict deadlock violated
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void note(int signal)
{
    seen = signal;
}

int main(void)
{
    signal(SIGUSR1, note);
    pid_t parent = getpid();
    if (fork() == 0) {
        kill(parent, SIGUSR1);
        _exit(0);
    }
    if (!seen)
        pause();
    wait(NULL);
    return 0;
}
