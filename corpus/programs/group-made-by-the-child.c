// A child makes a group of its own before or after its parent sends a signal to that group: then there is none yet.
//! verdict assertions violated
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        _exit(0);
    }
    int sent = kill(-child, 0);
    waitpid(child, NULL, 0);
    assert(sent == 0);
    return 0;
}
