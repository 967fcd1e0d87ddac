// A signal may come while a process waits for a semaphore, for a while; it must try again.
//! verdict assertions violated
#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nothing(int signal)
{
    (void)signal;
}

int main(void)
{
    struct sigaction action = {.sa_handler = nothing};
    struct timespec limit;
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pid_t me = getpid();
    if (fork() == 0) {
        kill(me, SIGUSR1);
        _exit(0);
    }
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec++;
    assert(sem_timedwait(&semaphore, &limit) == -1 && errno == ETIMEDOUT);
    wait(NULL);
    return 0;
}
