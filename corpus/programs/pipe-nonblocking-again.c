// A reader that does not wait tries again until it has everything; a copy of its end is as good as the end.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], n = 0;
    char byte;
    if (pipe2(ends, O_NONBLOCK) != 0)
        return 2;
    if (fork() == 0) {
        struct iovec both[2] = { { "a", 1 }, { "bc", 2 } };
        close(ends[0]);
        _exit(writev(ends[1], both, 2) == 3 ? 0 : 3);
    }
    int copy = fcntl(ends[0], F_DUPFD, 10);
    close(ends[0]);
    close(ends[1]);
    for (;;) {
        ssize_t got = read(copy, &byte, 1);
        if (got == 0)
            break;
        if (got == 1)
            n++;
        else if (errno == EAGAIN)
            sched_yield();
        else
            return 4;
    }
    wait(NULL);
    return n == 3 ? 0 : 5;
}
