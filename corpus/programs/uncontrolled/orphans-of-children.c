// A process that gets the orphans of its children.
#include <assert.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int n = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (fork() == 0) {
        if (fork() == 0)
            _exit(0);
        _exit(0);
    }
    while (wait(NULL) > 0)
        n++;
    assert(n == 2);
    return 0;
}
