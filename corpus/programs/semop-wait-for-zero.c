// A process waits until all others have counted a semaphore down to zero.
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    int set = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf down = { 0, -1, 0 }, zero = { 0, 0, 0 };
    semctl(set, 0, SETVAL, 2);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            semop(set, &down, 1);
            _exit(0);
        }
    semop(set, &zero, 1);
    aw_assert(semctl(set, 0, GETVAL) == 0);
    while (wait(NULL) > 0)
        ;
    semctl(set, 0, IPC_RMID);
    return 0;
}
