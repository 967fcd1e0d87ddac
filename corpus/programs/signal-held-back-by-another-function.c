// The mask of a function holds another signal back until that function returns.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile int ends;

static void first(int signal)
{
    (void)signal;
    raise(SIGUSR2);
    ends = ends * 10 + 1;
}

static void second(int signal)
{
    (void)signal;
    ends = ends * 10 + 2;
}

static void *both(void *argument)
{
    struct sigaction action = {.sa_handler = first};
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGUSR2, second);
    raise(SIGUSR1);
    assert(ends == 12);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, both, NULL);
    pthread_join(thread, NULL);
    return 0;
}
