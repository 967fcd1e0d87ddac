// `signal` returns what another thread has set before, or the default: what there was is looked up in the step, not before it.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void handler(int signal)
{
}

static void *sets(void *argument)
{
    signal(SIGUSR1, handler);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    assert(signal(SIGUSR1, SIG_IGN) == SIG_DFL);
    pthread_join(thread, NULL);
    return 0;
}
