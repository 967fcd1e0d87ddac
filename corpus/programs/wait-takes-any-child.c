// The child that was started first need not be the first one to be waited for.
//! verdict assertions violated
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    pid_t first = fork();
    if (first == 0)
        _exit(0);
    pid_t second = fork();
    if (second == 0)
        _exit(0);
    pid_t reaped = wait(NULL);
    wait(NULL);
    aw_assert(reaped == first);
    return 0;
}
