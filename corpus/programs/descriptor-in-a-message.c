// The end of a pipe is handed to the child in a message.
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int sockets[2], ends[2], status;
    char byte = 'x', control[CMSG_SPACE(sizeof(int))] = { 0 };
    struct iovec one = { &byte, 1 };
    struct msghdr message = { .msg_iov = &one, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control };
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        return 2;
    if (fork() == 0) {
        int end;
        if (recvmsg(sockets[1], &message, 0) != 1)
            _exit(3);
        memcpy(&end, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof end);
        _exit(write(end, "y", 1) == 1 ? 0 : 4);
    }
    if (pipe(ends) != 0)
        return 5;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &ends[1], sizeof(int));
    if (sendmsg(sockets[0], &message, 0) != 1)
        return 6;
    wait(&status);
    return status == 0 && read(ends[0], &byte, 1) == 1 && byte == 'y' ? 0 : 7;
}
