// A signal that was held ends the process when it is let through.
//! verdict exit violated
#define _GNU_SOURCE
#include <signal.h>

int main(void)
{
    sighold(SIGUSR1);
    raise(SIGUSR1);
    sigrelse(SIGUSR1);
    return 0;
}
