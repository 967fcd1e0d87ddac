// With `SIGCHLD` ignored, children leave no status: `waitpid` waits until there are none, and fails.
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], status;
    char byte;
    signal(SIGCHLD, SIG_IGN);
    pipe(ends);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            write(ends[1], "x", 1);
            _exit(3);
        }
    assert(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
    // Both have come so far.
    assert(read(ends[0], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1);
    return 0;
}
