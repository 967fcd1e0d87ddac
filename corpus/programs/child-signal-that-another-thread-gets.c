// Another thread gets SIGCHLD, and may do so when `waitpid` has returned.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void ended(int signal)
{
    (void)signal;
    count++;
}

static void *sleeper(void *unused)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_UNBLOCK, &child, NULL);
    sleep(1);
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = ended, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    assert(count == 1);
    pthread_join(thread, NULL);
    return 0;
}
