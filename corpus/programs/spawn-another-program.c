// A child is started as another program (this one again) with an environment of its own, and goes on under control: its answer is its status.
#include <fcntl.h>
#include <semaphore.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static int child(void)
{
    sem_t *semaphore = sem_open("/answer", 0);
    sem_post(semaphore);
    return 7;
}

int main(int argc, char **argv)
{
    char *arguments[] = {"child", "child", NULL}, *environment[] = {"A=1", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    siginfo_t information;
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return child();
    sem_t *semaphore = sem_open("/answer", O_CREAT, 0600, 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 9, "/dev/null", O_WRONLY, 0);
    aw_assert(posix_spawn(&pid, "/proc/self/exe", &actions, NULL, arguments, environment) == 0);
    sem_wait(semaphore);
    aw_assert(waitid(P_PID, pid, &information, WEXITED) == 0);
    status = information.si_status;
    aw_assert(status == 7 && information.si_code == CLD_EXITED);
    sem_unlink("/answer");
    return 0;
}
