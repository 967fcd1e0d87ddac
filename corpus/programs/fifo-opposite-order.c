// Two FIFOs, opened in opposite order by the two sides.
//! verdict deadlock violated
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    unlink("one.fifo");
    unlink("other.fifo");
    if (mkfifo("one.fifo", 0600) != 0 || mkfifo("other.fifo", 0600) != 0)
        return 2;
    if (fork() == 0) {
        open("one.fifo", O_RDONLY);
        open("other.fifo", O_WRONLY);
        _exit(0);
    }
    open("other.fifo", O_RDONLY);
    open("one.fifo", O_WRONLY);
    wait(NULL);
    return 0;
}
