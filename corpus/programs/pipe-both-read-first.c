// Both ends of a conversation listen first.
//! verdict deadlock violated
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int there[2], back[2];
    char byte = 0;
    if (pipe(there) != 0 || pipe(back) != 0)
        return 2;
    if (fork() == 0) {
        if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
            _exit(3);
        _exit(0);
    }
    if (read(back[0], &byte, 1) != 1 || write(there[1], &byte, 1) != 1)
        return 3;
    wait(NULL);
    return 0;
}
