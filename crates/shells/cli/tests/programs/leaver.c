/*
 * Makes everything that can outlive a process, and removes nothing of it. One of the processes goes on for ever. The argument is part
 * of all names.
 */
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char name[64];

static const char *named(const char *kind, const char *argument)
{
    snprintf(name, sizeof name, "/%s-%s", argument, kind);
    return name;
}

static void child(int number, int set, sem_t *semaphore, int *counter)
{
    struct sembuf take = {0, -1, 0}, give = {0, 1, 0};
    semop(set, &take, 1);
    sem_wait(semaphore);
    ++*counter;
    sem_post(semaphore);
    semop(set, &give, 1);
    if (number == 2 && fork() == 0)
        for (;;)
            pause();
    _exit(0);
}

int main(int count, char **arguments)
{
    const char *argument = count > 1 ? arguments[1] : "leaver";
    int set = semget(0x41570001, 1, IPC_CREAT | 0600);
    int queue = msgget(0x41570002, IPC_CREAT | 0600);
    int segment = shmget(0x41570003, 4096, IPC_CREAT | 0600);
    int *counter = shmat(segment, NULL, 0);
    int memory = shm_open(named("memory", argument), O_CREAT | O_RDWR, 0600);
    sem_t *semaphore = sem_open(named("semaphore", argument), O_CREAT, 0600, 1);
    struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 8};
    mqd_t messages = mq_open(named("queue", argument), O_CREAT | O_RDWR, 0600, &attributes);
    struct {
        long type;
        char text[8];
    } message = {1, "left"};
    if (ftruncate(memory, 4096) != 0 || *counter != 0 || mkfifo("fifo", 0600) != 0 || mkdir("folder", 0700) != 0)
        return 1;
    FILE *file = fopen("file", "w");
    fprintf(file, "left\n");
    fclose(file);
    msgsnd(queue, &message, 8, 0);
    mq_send(messages, "left", 5, 0);
    struct sembuf give = {0, 1, 0};
    semop(set, &give, 1);
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            child(i, set, semaphore, counter);
    for (int i = 0; i < 3; i++)
        wait(NULL);
    return 0;
}
