// Clients ask a server over one System V queue; each reply has the type of the client that it is for.
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
    long type;
    char client;
};

static int queue;

static void client(int number)
{
    struct message message = { 1, number };
    msgsnd(queue, &message, 1, 0);
    if (msgrcv(queue, &message, 1, 10 + number, 0) != 1 || message.client != number)
        _exit(3);
    _exit(0);
}

int main(void)
{
    struct message message;
    int status, bad = 0;
    queue = msgget(IPC_PRIVATE, 0600);
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            client(i);
    for (int i = 0; i < 2; i++) {
        msgrcv(queue, &message, 1, 1, 0);
        message.type = 10 + message.client;
        msgsnd(queue, &message, 1, 0);
    }
    while (wait(&status) > 0)
        bad |= status;
    msgctl(queue, IPC_RMID, NULL);
    return bad != 0;
}
