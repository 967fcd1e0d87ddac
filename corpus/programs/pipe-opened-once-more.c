// A pipe is opened once more by the name of its descriptor, as shells do for `<(...)`: it is the same pipe, and nobody waits for the
// other side to be opened.
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char name[64], bytes[3];
    pipe(ends);
    if (fork() == 0) {
        write(ends[1], "ab", 2);
        _exit(0);
    }
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    int again = open(name, O_RDONLY);
    assert(again >= 0);
    close(ends[0]);
    assert(read(again, bytes, 1) == 1 && bytes[0] == 'a');
    assert(read(again, bytes, 1) == 1 && bytes[0] == 'b');
    assert(read(again, bytes, 1) == 0);
    wait(NULL);
    return 0;
}
