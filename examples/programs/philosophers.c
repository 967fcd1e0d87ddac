/*
 * Dining philosophers: N processes around a table, a semaphore for each fork, left fork first.
 *
 *     gcc -o philosophers philosophers.c
 *     allways explore -- ./philosophers 3
 *
 * All of them may take their left fork before anybody takes a right one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int forks;

static void change(int fork, int by)
{
    struct sembuf operation = { .sem_num = fork, .sem_op = by, .sem_flg = 0 };
    if (semop(forks, &operation, 1) != 0) {
        perror("semop");
        _exit(2);
    }
}

static void dine(int seat, int seats)
{
    int left = seat, right = (seat + 1) % seats;
    change(left, -1);
    change(right, -1);
    change(left, 1);
    change(right, 1);
}

int main(int argc, char **argv)
{
    int seats = argc > 1 ? atoi(argv[1]) : 2;
    pid_t philosophers[64];
    if (seats < 2 || seats > 64)
        return 2;
    forks = semget(IPC_PRIVATE, seats, IPC_CREAT | 0600);
    if (forks < 0)
        return 2;
    for (int fork = 0; fork < seats; fork++)
        if (semctl(forks, fork, SETVAL, 1) != 0)
            return 2;
    for (int seat = 0; seat < seats; seat++) {
        philosophers[seat] = fork();
        if (philosophers[seat] == 0) {
            dine(seat, seats);
            _exit(0);
        }
    }
    for (int seat = 0; seat < seats; seat++) {
        int status;
        if (waitpid(philosophers[seat], &status, 0) < 0 || status != 0)
            return 1;
    }
    return 0;
}
