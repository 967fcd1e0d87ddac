// Parent and child both make the group, as shells do: it is there when the parent sends a signal to it, waits for it, and is not in it.
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        pause();
        _exit(0);
    }
    setpgid(child, child);
    assert(getpgid(child) == child);
    assert(kill(-child, SIGKILL) == 0);
    assert(waitpid(-child, &status, 0) == child && WIFSIGNALED(status));
    return 0;
}
