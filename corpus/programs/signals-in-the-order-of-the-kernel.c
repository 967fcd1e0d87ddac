// Signals of a thread come before those of its process. Functions of several begin with the last.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile int order[2], count;

static void notes(int signal)
{
    order[count++] = signal;
}

int main(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (int number = 0; number < 3; number++)
        sigaddset(&signals, SIGRTMIN + number);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    raise(SIGRTMIN + 2);
    kill(getpid(), SIGRTMIN + 1);
    kill(getpid(), SIGRTMIN);
    assert(sigwaitinfo(&signals, NULL) == SIGRTMIN + 2);
    assert(sigwaitinfo(&signals, NULL) == SIGRTMIN);
    assert(sigwaitinfo(&signals, NULL) == SIGRTMIN + 1);

    signal(SIGUSR1, notes);
    signal(SIGUSR2, notes);
    raise(SIGUSR1);
    raise(SIGUSR2);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    assert(order[0] == SIGUSR2 && order[1] == SIGUSR1);

    count = 0;
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    kill(getpid(), SIGUSR1);
    raise(SIGUSR2);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    assert(order[0] == SIGUSR1 && order[1] == SIGUSR2);
    return 0;
}
