// A program closes every descriptor that it knows nothing of, in all the usual ways, and uses their numbers, before it executes another one.
//! verdict deadlock violated
#define _GNU_SOURCE
#include <fcntl.h>
#include <semaphore.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

enum { MANY = 1100 };

static int child(void)
{
    sem_t *semaphore = sem_open("/answer", 0);
    sem_wait(semaphore);
    return 7;
}

static void close_everything(void)
{
    for (int descriptor = 3; descriptor < MANY; descriptor++)
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    for (int descriptor = 3; descriptor < MANY; descriptor++)
        close(descriptor);
    for (int descriptor = 3; descriptor < MANY; descriptor++)
        dup2(1, descriptor);
    aw_assert(close_range(3, MANY, CLOSE_RANGE_CLOEXEC) == 0);
    aw_assert(syscall(SYS_close_range, 3, 500, 0) == 0);
    closefrom(3);
}

int main(int argc, char **argv)
{
    int status;
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return child();
    sem_t *semaphore = sem_open("/answer", O_CREAT, 0600, 0);
    pid_t pid = fork();
    if (pid == 0) {
        close_everything();
        execl("/proc/self/exe", "child", "child", (char *)0);
        _exit(1);
    }
    sem_wait(semaphore);
    aw_assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
    sem_unlink("/answer");
    return 0;
}
