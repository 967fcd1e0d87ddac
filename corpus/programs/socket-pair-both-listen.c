// Both sides of a pair of sockets wait for the other to begin.
//! verdict deadlock violated
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte = 'q';
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return 2;
    if (fork() == 0) {
        if (recv(ends[1], &byte, 1, 0) != 1 || send(ends[1], "a", 1, 0) != 1)
            _exit(3);
        _exit(0);
    }
    if (recv(ends[0], &byte, 1, 0) != 1 || send(ends[0], &byte, 1, 0) != 1)
        return 4;
    wait(NULL);
    return 0;
}
