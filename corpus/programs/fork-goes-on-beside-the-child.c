// The caller of `fork` goes on beside the child: what the child writes may come later.
//! verdict assertions violated
#include <assert.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int parts[2], count = 0;
    assert(pipe(parts) == 0);
    pid_t child = fork();
    if (child == 0) {
        if (write(parts[1], "x", 1) != 1)
            _exit(1);
        _exit(0);
    }
    assert(ioctl(parts[0], FIONREAD, &count) == 0);
    assert(count == 1);
    waitpid(child, NULL, 0);
    return 0;
}
