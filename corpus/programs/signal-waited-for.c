// One thread waits for the signals of the others.
#include <pthread.h>
#include <signal.h>
#include <allways.h>

static sigset_t signals;

static void *sender(void *argument)
{
    (void)argument;
    pthread_kill(*(pthread_t *)argument, SIGUSR2);
    return NULL;
}

int main(void)
{
    pthread_t thread, self = pthread_self();
    int signal = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_create(&thread, NULL, sender, &self);
    sigwait(&signals, &signal);
    aw_assert(signal == SIGUSR2);
    pthread_join(thread, NULL);
    return 0;
}
