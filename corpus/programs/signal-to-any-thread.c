// A signal to a process arrives at any of its threads, also at one that ends soon.
//! verdict assertions violated
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static sem_t semaphore;
static __thread int is_other;

static void note(int signal)
{
    (void)signal;
    aw_assert(!is_other);
}

static void *other(void *argument)
{
    is_other = 1;
    sem_wait(&semaphore);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pid_t parent = getpid();
    sem_init(&semaphore, 0, 1);
    signal(SIGUSR1, note);
    pid_t child = fork();
    if (child == 0) {
        kill(parent, SIGUSR1);
        _exit(0);
    }
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    waitpid(child, NULL, 0);
    return 0;
}
