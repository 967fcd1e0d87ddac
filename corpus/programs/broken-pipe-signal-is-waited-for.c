// SIGPIPE that is blocked is pending for the thread that wrote: `sigwait` takes it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void *write_and_wait(void *argument)
{
    sigset_t broken, pending;
    int parts[2], signal;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, NULL);
    assert(pipe(parts) == 0);
    close(parts[0]);
    assert(write(parts[1], "x", 1) == -1);
    sigpending(&pending);
    assert(sigismember(&pending, SIGPIPE));
    sigwait(&broken, &signal);
    assert(signal == SIGPIPE);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sigset_t pending;
    pthread_create(&thread, NULL, write_and_wait, NULL);
    sigpending(&pending);
    assert(!sigismember(&pending, SIGPIPE));
    pthread_join(thread, NULL);
    return 0;
}
