// The alarm may come before the program waits for it.
//! verdict deadlock violated
#include <signal.h>
#include <unistd.h>

static void late(int signal)
{
    (void)signal;
}

int main(void)
{
    signal(SIGALRM, late);
    alarm(1);
    pause();
    return 0;
}
