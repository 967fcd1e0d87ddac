// A signal may come while `poll` waits, before another thread writes; the program polls again then.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int parts[2];
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
    sigaction(SIGUSR1, &action, NULL);
    reader = pthread_self();
    pthread_create(&thread, NULL, interrupt_and_write, NULL);
    struct pollfd entry = {.fd = parts[0], .events = POLLIN};
    while (poll(&entry, 1, -1) < 0)
        ;
    pthread_join(thread, NULL);
    return 0;
}
