// Messages stay apart, also when somebody looks at them first; the end comes after the last one.
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], status;
    char bytes[8];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return 2;
    if (fork() == 0) {
        close(ends[0]);
        if (send(ends[1], "abc", 3, 0) != 3 || send(ends[1], "de", 2, 0) != 2)
            _exit(3);
        shutdown(ends[1], SHUT_WR);
        _exit(recv(ends[1], bytes, 8, 0) == 1 ? 0 : 4);
    }
    close(ends[1]);
    if (recv(ends[0], bytes, 8, MSG_PEEK) != 3 || recv(ends[0], bytes, 2, 0) != 2)
        return 5;
    if (recv(ends[0], bytes, 8, 0) != 2 || recv(ends[0], bytes, 8, 0) != 0)
        return 6;
    if (send(ends[0], "x", 1, MSG_NOSIGNAL) != 1)
        return 7;
    wait(&status);
    return status == 0 ? 0 : 8;
}
