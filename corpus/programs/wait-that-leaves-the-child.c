// `waitid` with `WNOWAIT` only looks: the child is there for the next wait. A group can be waited
// for, too.
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    siginfo_t information;
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(6);
    aw_assert(waitid(P_PID, child, &information, WEXITED | WNOWAIT) == 0 && information.si_status == 6);
    aw_assert(waitid(P_PGID, 0, &information, WEXITED | WNOWAIT) == 0 && information.si_pid == child);
    aw_assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 6);
    aw_assert(waitid(P_ALL, 0, &information, WEXITED) == -1 && errno == ECHILD);
    return 0;
}
