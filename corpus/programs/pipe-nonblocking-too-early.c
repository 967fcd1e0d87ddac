// Who does not wait for the byte may come too early.
//! verdict assertions violated
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0) {
        if (write(ends[1], "x", 1) != 1)
            _exit(3);
        _exit(0);
    }
    fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK);
    aw_assert(read(ends[0], &byte, 1) == 1 || errno != EAGAIN);
    wait(NULL);
    return 0;
}
