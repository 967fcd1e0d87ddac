// The priority of a child is looked at before or after the child has changed it.
//! verdict assertions violated
#include <assert.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        setpriority(PRIO_PROCESS, 0, 7);
        _exit(0);
    }
    int priority = getpriority(PRIO_PROCESS, child);
    waitpid(child, NULL, 0);
    assert(priority == 0);
    return 0;
}
