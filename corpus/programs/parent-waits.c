// A process asks for its parent, which waits for it.
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char is_there;
    pipe(ends);
    pid_t middle = fork();
    if (middle == 0) {
        pid_t parent = getpid(), child = fork();
        if (child == 0) {
            is_there = getppid() == parent;
            write(ends[1], &is_there, 1);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        _exit(0);
    }
    read(ends[0], &is_there, 1);
    waitpid(middle, NULL, 0);
    assert(is_there);
    return 0;
}
