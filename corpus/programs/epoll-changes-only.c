// Whoever watches for changes only must read everything: the end that came with the byte is not reported again.
//! verdict deadlock violated
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int set = epoll_create1(0), open = 1, n = 0;
    char byte;
    for (int i = 0; i < 1; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
            return 2;
        if (fork() == 0) {
            close(ends[0]);
            _exit(write(ends[1], "x", 1) == 1 ? 0 : 3);
        }
        close(ends[1]);
        struct epoll_event event = { EPOLLIN | EPOLLET, { .fd = ends[0] } };
        if (epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) != 0)
            return 3;
    }
    while (open > 0) {
        struct epoll_event events[2];
        int found = epoll_wait(set, events, 2, -1);
        for (int i = 0; i < found; i++) {
            ssize_t got = read(events[i].data.fd, &byte, 1);
            if (got < 0)
                return 4;
            if (got == 1)
                n++;
            else {
                epoll_ctl(set, EPOLL_CTL_DEL, events[i].data.fd, NULL);
                close(events[i].data.fd);
                open--;
            }
        }
    }
    while (wait(NULL) > 0)
        ;
    return n == 1 ? 0 : 5;
}
