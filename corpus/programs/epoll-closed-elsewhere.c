// Closing a descriptor does not take it out of the set as long as another process has a copy: its end is reported again and again.
//! verdict exit violated
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int set = epoll_create1(0), ends[2], hold[2];
    char byte;
    if (pipe(ends) != 0 || pipe(hold) != 0)
        return 2;
    struct epoll_event event = { EPOLLIN, { .fd = ends[0] } };
    if (epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) != 0)
        return 3;
    if (fork() == 0) {
        close(ends[1]);
        close(hold[1]);
        _exit(read(hold[0], &byte, 1) == 0 ? 0 : 3);
    }
    close(ends[1]);
    if (epoll_wait(set, &event, 1, -1) != 1)
        return 4;
    close(ends[0]);
    int found = epoll_wait(set, &event, 1, 0);
    close(hold[1]);
    wait(NULL);
    return found == 0 ? 0 : 5;
}
