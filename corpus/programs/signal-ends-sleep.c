// A signal ends the sleep early, and the program does not look how long it slept.
//! verdict assertions violated
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static void wake(int signal)
{
    (void)signal;
}

int main(void)
{
    signal(SIGUSR1, wake);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        kill(parent, SIGUSR1);
        _exit(0);
    }
    aw_assert(sleep(10) == 0);
    waitpid(child, NULL, 0);
    return 0;
}
