// The reader has forgotten that it could write itself, so the pipe never ends.
//! verdict deadlock violated
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
    while (read(ends[0], &byte, 1) == 1)
        n++;
    wait(NULL);
    return n == 2 ? 0 : 4;
}
