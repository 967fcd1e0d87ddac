// A signal of a child, a thread, a timer or the process itself (the argument) may come between
// two accesses that belong together. With `waited`, it comes only while the process waits for it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int first, second;
static pthread_t receiver;

static void look(int signal)
{
    (void)signal;
    assert(first == second);
}

static void *send(void *unused)
{
    pthread_kill(receiver, SIGUSR1);
    return unused;
}

static void change(void)
{
    first = 1;
    second = 1;
}

int main(int count, char **arguments)
{
    const char *sender = count > 1 ? arguments[1] : "child";
    signal(SIGUSR1, look);
    signal(SIGALRM, look);
    receiver = pthread_self();
    if (strcmp(sender, "child") == 0 || strcmp(sender, "waited") == 0) {
        sigset_t blocked, before;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGUSR1);
        if (strcmp(sender, "waited") == 0)
            sigprocmask(SIG_BLOCK, &blocked, &before);
        if (fork() == 0) {
            kill(getppid(), SIGUSR1);
            _exit(0);
        }
        change();
        if (strcmp(sender, "waited") == 0)
            sigsuspend(&before);
        wait(NULL);
    } else if (strcmp(sender, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, send, NULL);
        change();
        pthread_join(thread, NULL);
    } else if (strcmp(sender, "timer") == 0) {
        alarm(1);
        change();
        sleep(2);
    } else {
        change();
        raise(SIGUSR1);
        kill(getpid(), SIGUSR1);
    }
    return 0;
}
