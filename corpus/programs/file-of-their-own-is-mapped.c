// Each process maps a file of its own, and reads and writes it too. That is nobody else's business.
//! options --scratch
//! executions source 1
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(const char *name)
{
    int file = open(name, O_CREAT | O_RDWR, 0600);
    assert(file >= 0 && ftruncate(file, 1) == 0);
    char byte, *bytes = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    *bytes = 7;
    assert(pread(file, &byte, 1, 0) == 1 && byte == 7);
    assert(pwrite(file, "x", 1, 0) == 1 && *bytes == 'x');
}

int main(void)
{
    if (fork() == 0) {
        work("first");
        _exit(0);
    }
    work("second");
    wait(NULL);
    return 0;
}
