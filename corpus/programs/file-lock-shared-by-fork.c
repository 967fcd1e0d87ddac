// A lock of an open file is shared by those who share the file: it keeps nobody out.
//! verdict assertions violated
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    int file = open("e.lock", O_RDWR | O_CREAT, 0600), gate[2];
    int *inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char byte;
    if (pipe(gate) != 0)
        return 2;
    pid_t child = fork();
    flock(file, LOCK_EX);
    aw_assert(++*inside == 1);
    if (child == 0 ? write(gate[1], "x", 1) != 1 : read(gate[0], &byte, 1) != 1)
        return 3;
    --*inside;
    flock(file, LOCK_UN);
    if (child == 0)
        _exit(0);
    wait(NULL);
    return 0;
}
