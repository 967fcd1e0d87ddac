// The function for SIGCHLD has run when `waitpid` returns to the only thread, and knows the status.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count, status_of_child;

static void ended(int signal, siginfo_t *information, void *context)
{
    (void)signal, (void)context;
    count++;
    status_of_child = information->si_status;
}

static void *nothing(void *argument)
{
    return argument;
}

static pid_t child(int status)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(status);
    return pid;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = ended, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigaction(SIGCHLD, &action, NULL);
    pid_t pid = child(3);
    assert(waitpid(pid, NULL, 0) == pid);
    assert(count == 1 && status_of_child == 3);
    pid = child(4);
    siginfo_t information;
    assert(waitid(P_PID, pid, &information, WEXITED) == 0);
    assert(count == 2 && status_of_child == 4);
    // The same when another thread was joined.
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    pid = child(5);
    assert(waitpid(-1, NULL, 0) == pid);
    assert(count == 3 && status_of_child == 5);
    return 0;
}
