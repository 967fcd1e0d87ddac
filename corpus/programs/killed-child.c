// A child that waits for ever is ended by a signal; its parent sees by which one.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    int ends[2], status;
    char byte;
    if (pipe(ends) != 0)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        if (read(ends[0], &byte, 1) < 0)
            _exit(3);
        _exit(0);
    }
    kill(child, SIGTERM);
    waitpid(child, &status, 0);
    aw_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    return 0;
}
