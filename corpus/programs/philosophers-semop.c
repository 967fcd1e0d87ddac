// n forked philosophers around one set of System V semaphores: 2^n - 1 traces, one of them the deadlock in which everybody
// holds the left fork.
//! verdict deadlock violated
//! executions source 3 2
//! executions source 7 3
//! executions source 15 4
//! executions source 31 5
//! executions source 63 6
//! executions naive 4 2
//! executions naive 396 3
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

static int set;

static void change(int number, int by)
{
    struct sembuf operation = { number, by, 0 };
    if (semop(set, &operation, 1) != 0)
        _exit(2);
}

static void philosopher(int left, int right)
{
    change(left, -1);
    change(right, -1);
    change(left, 1);
    change(right, 1);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3;
    pid_t children[16];
    set = semget(IPC_PRIVATE, n, 0600);
    for (int i = 0; i < n; i++)
        semctl(set, i, SETVAL, 1);
    for (int i = 0; i < n; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            philosopher(i, (i + 1) % n);
            _exit(0);
        }
    }
    /* In a fixed order: `wait` for any child would be a choice of its own. */
    for (int i = 0; i < n; i++)
        waitpid(children[i], NULL, 0);
    semctl(set, 0, IPC_RMID);
    return 0;
}
