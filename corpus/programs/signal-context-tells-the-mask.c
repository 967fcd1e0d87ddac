// The context of a function for signals has the mask from before, and the function may change it.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

static volatile int was_blocked;

static void unblock(int signal, siginfo_t *information, void *argument)
{
    ucontext_t *context = argument;
    (void)signal;
    (void)information;
    was_blocked = sigismember(&context->uc_sigmask, SIGUSR2);
    sigdelset(&context->uc_sigmask, SIGUSR2);
}

int main(void)
{
    sigset_t mask;
    struct sigaction action = {.sa_sigaction = unblock, .sa_flags = SA_SIGINFO};
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    assert(was_blocked == 1);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    assert(!sigismember(&mask, SIGUSR2));
    return 0;
}
