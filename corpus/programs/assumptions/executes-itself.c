// Executes itself in a child; the two count in memory that both have mapped, without a lock.
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    int file = count > 1 ? atoi(arguments[1]) : memfd_create("counter", 0);
    if (count == 1) {
        assert(ftruncate(file, 4096) == 0);
        if (fork() == 0) {
            char number[16];
            snprintf(number, sizeof number, "%d", file);
            execl("/proc/self/exe", "program", number, (char *)NULL);
            _exit(9);
        }
    }
    volatile int *counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int value = *counter;
    *counter = value + 1;
    if (count == 1) {
        wait(NULL);
        assert(*counter == 2);
    }
    return 0;
}
