// A conversation over a pair of sockets ends when one side hangs up.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte = 'q';
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 2;
    if (fork() == 0) {
        close(ends[0]);
        if (recv(ends[1], &byte, 1, 0) != 1 || send(ends[1], "a", 1, 0) != 1)
            _exit(3);
        _exit(0);
    }
    close(ends[1]);
    if (send(ends[0], &byte, 1, 0) != 1 || recv(ends[0], &byte, 1, 0) != 1 || byte != 'a')
        return 4;
    int rest = (int)recv(ends[0], &byte, 1, 0);
    wait(NULL);
    return rest == 0 ? 0 : 5;
}
