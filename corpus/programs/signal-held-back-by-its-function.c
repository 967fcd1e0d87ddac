// A signal that is sent again in its own function is held back until the function returns.
//! verdict assertions violated
#include <assert.h>
#include <signal.h>

static int calls;

static void count(int signal)
{
    calls++;
    if (calls == 1)
        raise(signal);
    assert(calls == 1);
}

int main(void)
{
    signal(SIGUSR1, count);
    raise(SIGUSR1);
    return 0;
}
