// A timer with an interval that nothing ends: the read goes on after each signal.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static void nothing(int signal)
{
    (void)signal;
}

int main(void)
{
    struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_RESTART };
    struct itimerval timer = { { 1, 0 }, { 1, 0 } };
    int ends[2];
    char letter;
    if (pipe(ends) != 0)
        return 2;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    return read(ends[0], &letter, 1) != 1;
}
