// The end of a pipe that closes when another program is executed: the parent sees that this worked.
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int ends[2], status;
    char byte;
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return 7;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 2;
    if (fork() == 0) {
        execl("/proc/self/exe", "child", "child", (char *)NULL);
        _exit(write(ends[1], "x", 1) == 1 ? 9 : 10);
    }
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 0)
        return 3;
    wait(&status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 4;
}
