// A poll finds that the last writer has gone.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0) {
        close(ends[0]);
        _exit(0);
    }
    close(ends[1]);
    struct pollfd one = { ends[0], POLLIN, 0 };
    int found = poll(&one, 1, -1);
    wait(NULL);
    return found == 1 && one.revents == POLLHUP ? 0 : 3;
}
