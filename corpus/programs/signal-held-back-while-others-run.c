// A signal that a thread sends again while its function waits comes when the function returns.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t entered, sent;
static pthread_t victim;
static volatile int calls;

static void wait_for_more(int signal)
{
    (void)signal;
    if (++calls > 1)
        return;
    sem_post(&entered);
    sem_wait(&sent);
}

static void *send(void *argument)
{
    sem_wait(&entered);
    pthread_kill(victim, SIGUSR1);
    sem_post(&sent);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&entered, 0, 0);
    sem_init(&sent, 0, 0);
    signal(SIGUSR1, wait_for_more);
    victim = pthread_self();
    pthread_create(&thread, NULL, send, NULL);
    raise(SIGUSR1);
    assert(calls == 2);
    pthread_join(thread, NULL);
    return 0;
}
