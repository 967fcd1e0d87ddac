// The signal of `ualarm` may come between the look at the flag and `pause`.
//! verdict deadlock violated
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void comes(int signal)
{
    (void)signal;
    count++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = comes};
    sigaction(SIGALRM, &action, NULL);
    ualarm(200000, 0);
    if (count == 0)
        pause();
    return 0;
}
