// A thread asks that a descriptor be closed by `exec` (FD_CLOEXEC) while another one forks: the other
// program finds it or not. So it is with FIOCLEX, and with a descriptor that is closed by hand.
//! executions source 6
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <allways.h>

static int descriptor, way;

static void *closes(void *unused)
{
    switch (way) {
    case 0: fcntl(descriptor, F_SETFD, FD_CLOEXEC); break;
    case 1: ioctl(descriptor, FIOCLEX); break;
    case 2: close(descriptor); break;
    }
    return unused;
}

int main(int count, char **arguments)
{
    if (count > 1)
        return fcntl(atoi(arguments[1]), F_GETFD) >= 0;
    way = aw_toss(2);
    pthread_t thread;
    descriptor = open("/dev/null", O_RDONLY);
    pthread_create(&thread, NULL, closes, NULL);
    pid_t child = fork();
    if (child == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", descriptor);
        execl("/proc/self/exe", "exec", number, (char *)NULL);
        _exit(9);
    }
    int status;
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    return 0;
}
