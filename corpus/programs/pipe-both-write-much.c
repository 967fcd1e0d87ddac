// Both write more than a pipe holds before they read. Pages that are not full count as much as full ones.
//! verdict deadlock violated
#include <sys/wait.h>
#include <unistd.h>

static char bytes[3000];

static int talk(int out, int in)
{
    for (int i = 0; i < 17; i++)
        if (write(out, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
            return 3;
    for (size_t n = 0; n < 17 * sizeof bytes;) {
        ssize_t got = read(in, bytes, sizeof bytes);
        if (got <= 0)
            return 4;
        n += (size_t)got;
    }
    return 0;
}

int main(void)
{
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0)
        return 2;
    if (fork() == 0)
        _exit(talk(back[1], there[0]));
    int result = talk(there[1], back[0]);
    wait(NULL);
    return result;
}
