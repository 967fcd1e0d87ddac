// A timer without an interval comes once: if its signal was before the wait, that has no end.
//! verdict deadlock violated
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include <allways.h>

static int ends[2];

static void nothing(int signal)
{
    (void)signal;
}

int main(void)
{
    struct sigaction action = { .sa_handler = nothing };
    struct itimerval timer = { { 0, 0 }, { 1, 0 } };
    char letter;
    if (pipe(ends) != 0)
        return 2;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    aw_assert(read(ends[0], &letter, 1) == -1 && errno == EINTR);
    return 0;
}
