// A signal may come while a process waits for a while for descriptors; it must look again.
//! verdict assertions violated
#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static void nothing(int signal)
{
    (void)signal;
}

int main(void)
{
    struct sigaction action = {.sa_handler = nothing};
    int parts[2];
    assert(pipe(parts) == 0);
    sigaction(SIGUSR1, &action, NULL);
    pid_t me = getpid();
    if (fork() == 0) {
        kill(me, SIGUSR1);
        _exit(0);
    }
    struct pollfd entry = {.fd = parts[0], .events = POLLIN};
    assert(poll(&entry, 1, 1000) == 0);
    wait(NULL);
    return 0;
}
