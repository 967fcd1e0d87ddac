// In the first schedule the child is over, and was waited for, when the other one kills it: that could have come before.
//! verdict assertions violated
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    int status = 0;
    pid_t victim = fork();
    if (victim == 0)
        _exit(0);
    pid_t killer = fork();
    if (killer == 0) {
        kill(victim, SIGKILL);
        _exit(0);
    }
    waitpid(victim, &status, 0);
    aw_assert(!WIFSIGNALED(status));
    waitpid(killer, &status, 0);
}
