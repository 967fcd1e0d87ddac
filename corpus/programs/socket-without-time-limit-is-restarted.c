// A receive without SO_RCVTIMEO is restarted after a signal, if its function says so.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];
static pthread_t receiver;

static void nothing(int signal)
{
    (void)signal;
}

static void *interrupt_and_send(void *argument)
{
    pthread_kill(receiver, SIGUSR1);
    assert(write(ends[1], "x", 1) == 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    char byte;
    signal(SIGUSR1, nothing);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    receiver = pthread_self();
    pthread_create(&thread, NULL, interrupt_and_send, NULL);
    assert(recv(ends[0], &byte, 1, 0) == 1);
    pthread_join(thread, NULL);
    return 0;
}
