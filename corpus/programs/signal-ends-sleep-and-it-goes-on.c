// A signal ends the sleep early; the rest is slept afterwards.
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
    unsigned left = 10;
    while (left > 0)
        left = sleep(left);
    waitpid(child, NULL, 0);
    return 0;
}
