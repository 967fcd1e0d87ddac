// The reader sees the end of the pipe when the last writer has gone.
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte;
    int n = 0;
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0) {
        close(ends[0]);
        if (write(ends[1], "ab", 2) != 2)
            _exit(3);
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &byte, 1) == 1)
        n++;
    wait(NULL);
    return n == 2 ? 0 : 4;
}
