// Waits for a descriptor that stands for a process.
#define _GNU_SOURCE
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    struct pollfd entry = { (int)syscall(SYS_pidfd_open, child, 0), POLLIN, 0 };
    if (poll(&entry, 1, -1) != 1)
        return 2;
    return waitpid(child, NULL, 0) != child;
}
