// A message that nobody waits for may not be there yet.
//! verdict exit violated
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte;
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        return 2;
    if (fork() == 0)
        _exit(send(ends[1], "x", 1, 0) == 1 ? 0 : 3);
    ssize_t got = recv(ends[0], &byte, 1, MSG_DONTWAIT);
    wait(NULL);
    return got == 1 ? 0 : 4;
}
