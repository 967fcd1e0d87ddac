// What a process took with SEM_UNDO is given back when it ends.
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int set = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf take = { 0, -1, SEM_UNDO }, give = { 0, 1, SEM_UNDO };
    semctl(set, 0, SETVAL, 1);
    if (fork() == 0) {
        semop(set, &take, 1);
        _exit(0);
    }
    semop(set, &take, 1);
    semop(set, &give, 1);
    wait(NULL);
    semctl(set, 0, IPC_RMID);
    return 0;
}
