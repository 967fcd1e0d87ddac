// What a signal does is one for the process: of two threads that set it, whoever comes last decides. The calls are steps, though the
// signal is sent when both are over.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t called;

static void first(int signal)
{
    called = 1;
}

static void second(int signal)
{
    called = 2;
}

static void *sets_first(void *argument)
{
    signal(SIGUSR1, first);
    return NULL;
}

static void *sets_second(void *argument)
{
    signal(SIGUSR1, second);
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, sets_first, NULL);
    pthread_create(&other, NULL, sets_second, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    raise(SIGUSR1);
    assert(called == 2);
    return 0;
}
