// SIGPIPE that was blocked ends the process when it is let through.
//! verdict exit violated
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

int main(void)
{
    sigset_t broken;
    int parts[2];
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigprocmask(SIG_BLOCK, &broken, NULL);
    if (pipe(parts) != 0)
        return 0;
    close(parts[0]);
    if (write(parts[1], "x", 1) == 1)
        return 0;
    sigprocmask(SIG_UNBLOCK, &broken, NULL);
    return 0;
}
