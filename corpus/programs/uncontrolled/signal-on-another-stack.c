// SA_ONSTACK: the function for the signal is called on the stack of its thread here.
#include <assert.h>
#include <signal.h>
#include <stddef.h>

static char stack[65536];
static volatile int is_on_it;

static void look(int signal)
{
    volatile char here;
    volatile char *place = &here;
    (void)signal;
    is_on_it = place >= stack && place < stack + sizeof stack;
}

int main(void)
{
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    assert(!is_on_it);
    return 0;
}
