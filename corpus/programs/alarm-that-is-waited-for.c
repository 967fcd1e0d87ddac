// H2: an alarm for which the program waits with `sigwait` ends nothing, and the program does not hang.
#include <signal.h>
#include <unistd.h>

int main(void)
{
    sigset_t set;
    int signal = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, 0);
    alarm(10);
    sigwait(&set, &signal);
    return signal != SIGALRM;
}
