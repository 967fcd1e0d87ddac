// Two threads are about to end when the second signal comes: the one may get it, or the other, or nobody.
//! verdict deadlock violated
//! verdict assertions violated
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static volatile int *handled;

static void handle(int signal)
{
    (void)signal;
    ++*handled;
}

static void *waiter(void *unused)
{
    pause();
    kill(getpid(), SIGUSR1);
    return unused;
}

static void begin(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    kill(getpid(), SIGUSR1);
    pthread_exit(NULL);
}

int main(void)
{
    struct sigaction action = { .sa_handler = handle };
    handled = mmap(NULL, sizeof *handled, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGUSR1, &action, NULL);
    pid_t child = fork();
    if (child == 0)
        begin();
    waitpid(child, NULL, 0);
    aw_assert(*handled >= 2);
}
