// A child of `vfork` shares the memory of its parent, which reads why `exec` failed.
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int error;

int main(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execl("/nowhere/at/all", "all", (char *)NULL);
        error = errno;
        _exit(1);
    }
    waitpid(child, NULL, 0);
    assert(error == ENOENT);
    return 0;
}
