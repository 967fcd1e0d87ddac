// H7: two threads share what signals do, so it matters whether one ignores a signal before the other asks.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static struct sigaction found;

static void *ask(void *unused)
{
    sigaction(SIGUSR1, NULL, &found);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, ask, NULL);
    signal(SIGUSR1, SIG_IGN);
    pthread_join(thread, NULL);
    assert(found.sa_handler == SIG_IGN);
    return 0;
}
