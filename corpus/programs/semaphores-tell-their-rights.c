// A set of semaphores has the rights that it was made with, and gets others.
#include <assert.h>
#include <sys/ipc.h>
#include <sys/sem.h>

int main(void)
{
    struct semid_ds status;
    int set = semget(IPC_PRIVATE, 3, 0640);
    semctl(set, 0, IPC_STAT, &status);
    assert((status.sem_perm.mode & 0777) == 0640 && status.sem_nsems == 3);
    status.sem_perm.mode = 0600;
    semctl(set, 0, IPC_SET, &status);
    semctl(set, 0, IPC_STAT, &status);
    assert((status.sem_perm.mode & 0777) == 0600);
    semctl(set, 0, IPC_RMID);
    return 0;
}
