// The signal is sent while it is blocked: the process stops when it is not blocked any more (H8).
#include <signal.h>

int main(void)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigprocmask(SIG_BLOCK, &stop, 0);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, 0);
    return 0;
}
