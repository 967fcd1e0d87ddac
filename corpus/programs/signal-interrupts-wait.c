// Without SA_RESTART a signal makes the wait for the semaphore fail, and the program does not look.
//! verdict assertions violated
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static void ignore(int signal)
{
    (void)signal;
}

int main(void)
{
    struct sigaction action = {.sa_handler = ignore};
    sem_t *semaphore =
        mmap(NULL, sizeof *semaphore, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(semaphore, 1, 0);
    sigaction(SIGUSR1, &action, NULL);
    pid_t parent = getpid();
    if (fork() == 0) {
        kill(parent, SIGUSR1);
        sem_post(semaphore);
        _exit(0);
    }
    aw_assert(sem_wait(semaphore) == 0);
    while (wait(NULL) < 0)
        ;
    return 0;
}
