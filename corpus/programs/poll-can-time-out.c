// A poll with a time limit may find nothing.
//! verdict assertions violated
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0)
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 3);
    struct pollfd one = { ends[0], POLLIN, 0 };
    aw_assert(poll(&one, 1, 100) == 1);
    wait(NULL);
    return 0;
}
