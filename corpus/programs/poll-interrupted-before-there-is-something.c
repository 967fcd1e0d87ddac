// A signal may come while `poll` waits, before a thread writes: that poll fails is no end.
//! verdict deadlock violated
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int parts[2];
static sem_t never;
static pthread_t reader;

static void nothing(int signal)
{
    (void)signal;
}

static void *interrupt_and_write(void *argument)
{
    pthread_kill(reader, SIGUSR1);
    assert(write(parts[1], "x", 1) == 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = nothing};
    assert(pipe(parts) == 0);
    sem_init(&never, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    reader = pthread_self();
    pthread_create(&thread, NULL, interrupt_and_write, NULL);
    struct pollfd entry = {.fd = parts[0], .events = POLLIN};
    if (poll(&entry, 1, -1) < 0)
        sem_wait(&never);
    pthread_join(thread, NULL);
    return 0;
}
