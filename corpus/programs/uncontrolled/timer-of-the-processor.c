// A timer that counts the time of the processor.
#include <signal.h>
#include <sys/time.h>

static volatile int came;

static void comes(int signal)
{
    (void)signal;
    came = 1;
}

int main(void)
{
    struct itimerval timer = { { 0, 0 }, { 0, 1000 } };
    signal(SIGVTALRM, comes);
    setitimer(ITIMER_VIRTUAL, &timer, 0);
    while (!came) {
    }
    return 0;
}
