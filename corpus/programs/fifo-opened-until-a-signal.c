// A signal without SA_RESTART may end the wait of `open` for the other side of a FIFO.
//! verdict assertions violated
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_t reader;

static void nothing(int signal)
{
    (void)signal;
}

static void *interrupt_and_open(void *argument)
{
    pthread_kill(reader, SIGUSR1);
    open("fifo", O_RDWR);
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = nothing};
    unlink("fifo");
    mkfifo("fifo", 0600);
    sigaction(SIGUSR1, &action, NULL);
    reader = pthread_self();
    pthread_create(&thread, NULL, interrupt_and_open, NULL);
    assert(open("fifo", O_RDONLY) >= 0);
    pthread_join(thread, NULL);
    unlink("fifo");
    return 0;
}
