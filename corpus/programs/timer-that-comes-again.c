// A timer with an interval comes again when its first signal was before the wait.
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
    struct itimerval timer = { { 1, 0 }, { 1, 0 } }, now;
    char letter;
    if (pipe(ends) != 0)
        return 2;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    aw_assert(getitimer(ITIMER_REAL, &now) == 0 && now.it_interval.tv_sec == 1);
    aw_assert(read(ends[0], &letter, 1) == -1 && errno == EINTR);
    return 0;
}
