// An alarm that calls a function if the program hangs, and it does: nobody gives the semaphore.
//! verdict exit violated
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static sem_t never;

static void hangs(int signal)
{
    (void)signal;
    _exit(1);
}

int main(void)
{
    signal(SIGALRM, hangs);
    alarm(10);
    sem_init(&never, 0, 0);
    sem_wait(&never);
    return 0;
}
