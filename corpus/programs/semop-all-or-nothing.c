// Philosophers that take both forks in one operation.
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 3 };

int main(void)
{
    int set = semget(IPC_PRIVATE, N, 0600);
    for (int i = 0; i < N; i++)
        semctl(set, i, SETVAL, 1);
    for (int i = 0; i < N; i++)
        if (fork() == 0) {
            struct sembuf take[2] = { { i, -1, 0 }, { (i + 1) % N, -1, 0 } };
            struct sembuf give[2] = { { i, 1, 0 }, { (i + 1) % N, 1, 0 } };
            semop(set, take, 2);
            semop(set, give, 2);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    semctl(set, 0, IPC_RMID);
    return 0;
}
