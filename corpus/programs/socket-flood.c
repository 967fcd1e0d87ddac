// A socket holds only so much: who writes for ever without being read waits for ever.
//! verdict deadlock violated
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[40000];

int main(void)
{
    int ends[2];
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 2;
    if (fork() == 0) {
        for (int i = 0; i < 8; i++)
            if (write(ends[1], bytes, sizeof bytes) != (ssize_t)sizeof bytes)
                _exit(3);
        _exit(0);
    }
    wait(NULL);
    return read(ends[0], &byte, 1) == 1 ? 0 : 4;
}
