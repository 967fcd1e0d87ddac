// What is printed to a descriptor is read at the other end, whatever the arguments.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char text[64] = { 0 };
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0) {
        dprintf(ends[1], "%d %s %.1f %d %d %d %d %.2f\n", 1, "two", 3.5, 4, 5, 6, 7, 8.25);
        _exit(0);
    }
    if (read(ends[0], text, sizeof text - 1) < 1)
        return 3;
    wait(NULL);
    return strcmp(text, "1 two 3.5 4 5 6 7 8.25\n") == 0 ? 0 : 4;
}
