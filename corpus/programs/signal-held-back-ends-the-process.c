// A signal without a function ends the process when the function that held it back returns.
//! verdict exit violated
#include <signal.h>
#include <stddef.h>

static void hold(int signal)
{
    (void)signal;
    raise(SIGUSR2);
}

int main(void)
{
    struct sigaction action = {.sa_handler = hold};
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    return 0;
}
