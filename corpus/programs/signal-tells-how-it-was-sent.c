// What a function learns about a signal: who sent it and how, and with what value.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int code, sender, value;

static void learns(int signal, siginfo_t *information, void *context)
{
    (void)signal;
    (void)context;
    code = information->si_code;
    sender = information->si_pid;
    value = information->si_value.sival_int;
}

int main(void)
{
    struct sigaction wanted = { .sa_sigaction = learns, .sa_flags = SA_SIGINFO };
    sigaction(SIGUSR1, &wanted, NULL);
    kill(getpid(), SIGUSR1);
    assert(code == SI_USER && sender == getpid());
    raise(SIGUSR1);
    assert(code == SI_TKILL);
    sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 0 });
    assert(code == SI_QUEUE && value == 0);
    pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){ .sival_int = 7 });
    assert(code == SI_QUEUE && value == 7);

    sigset_t ends;
    siginfo_t information;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(9);
    assert(sigwaitinfo(&ends, &information) == SIGCHLD);
    assert(information.si_code == CLD_EXITED && information.si_status == 9);
    assert(information.si_pid == child);
    wait(NULL);
    child = fork();
    if (child == 0) {
        raise(SIGTERM);
        _exit(0);
    }
    assert(sigwaitinfo(&ends, &information) == SIGCHLD);
    assert(information.si_code == CLD_KILLED && information.si_status == SIGTERM);
    wait(NULL);
    return 0;
}
