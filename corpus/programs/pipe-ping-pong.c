// A process and its child send a byte to and fro.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int there[2], back[2], status;
    char byte = 0;
    if (pipe(there) != 0 || pipe(back) != 0)
        return 2;
    if (fork() == 0) {
        for (int i = 0; i < 2; i++) {
            if (read(there[0], &byte, 1) != 1)
                _exit(3);
            byte++;
            if (write(back[1], &byte, 1) != 1)
                _exit(3);
        }
        _exit(0);
    }
    for (int i = 0; i < 2; i++)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            return 3;
    wait(&status);
    return byte == 2 && status == 0 ? 0 : 4;
}
