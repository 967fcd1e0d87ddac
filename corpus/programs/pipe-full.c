// More than a pipe holds is written in several steps; the reader makes room in between.
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[150000];

int main(void)
{
    int ends[2], status;
    size_t n = 0;
    if (pipe(ends) != 0)
        return 2;
    memset(bytes, 'x', sizeof bytes);
    if (fork() == 0) {
        close(ends[0]);
        _exit(write(ends[1], bytes, sizeof bytes) == (ssize_t)sizeof bytes ? 0 : 3);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], bytes, sizeof bytes)) > 0;)
        n += (size_t)got;
    wait(&status);
    return n == sizeof bytes && status == 0 ? 0 : 4;
}
