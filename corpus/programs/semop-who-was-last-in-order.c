// A set of semaphores tells who changed it last: of two that give one after the other, the second
// one.
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    struct sembuf give = { 0, 1, 0 };
    int set = semget(IPC_PRIVATE, 1, 0600);
    semop(set, &give, 1);
    pid_t child = fork();
    if (child == 0) {
        semop(set, &give, 1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pid_t last = semctl(set, 0, GETPID);
    semctl(set, 0, IPC_RMID);
    aw_assert(last == child);
    return 0;
}
