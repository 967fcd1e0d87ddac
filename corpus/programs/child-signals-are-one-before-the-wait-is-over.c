// Two children end before the first wait is over: then there may be one signal for both of them.
//! verdict assertions violated
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void ended(int signal)
{
    (void)signal;
    count++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = ended, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    pid_t children[2];
    for (int number = 0; number < 2; number++)
        if ((children[number] = fork()) == 0)
            _exit(0);
    for (int number = 0; number < 2; number++)
        waitpid(children[number], NULL, 0);
    assert(count >= 1);
    assert(count == 2);
    return 0;
}
