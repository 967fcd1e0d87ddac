// Whoever polls two pipes can find the second one ready first.
//! verdict assertions violated
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    int first[2], second[2];
    if (pipe(first) != 0 || pipe(second) != 0)
        return 2;
    if (fork() == 0) {
        if (write(first[1], "1", 1) != 1)
            _exit(3);
        _exit(0);
    }
    if (fork() == 0) {
        if (write(second[1], "2", 1) != 1)
            _exit(3);
        _exit(0);
    }
    struct pollfd both[2] = { { first[0], POLLIN, 0 }, { second[0], POLLIN, 0 } };
    poll(both, 2, -1);
    aw_assert(both[0].revents & POLLIN);
    while (wait(NULL) > 0)
        ;
    return 0;
}
