// Who opens a FIFO waits for the other side.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    char byte;
    int n = 0, status;
    unlink("greeting.fifo");
    if (mkfifo("greeting.fifo", 0600) != 0)
        return 2;
    if (fork() == 0) {
        int out = open("greeting.fifo", O_WRONLY);
        _exit(out >= 0 && write(out, "hi", 2) == 2 ? 0 : 3);
    }
    int in = open("greeting.fifo", O_RDONLY);
    while (read(in, &byte, 1) == 1)
        n++;
    wait(&status);
    unlink("greeting.fifo");
    return n == 2 && status == 0 ? 0 : 4;
}
