// Every client takes the first reply that comes, which can be the one for somebody else.
//! verdict assertions violated
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

struct message {
    long type;
    char client;
};

static int questions, replies;

static void client(int number)
{
    struct message message = { 1, number };
    msgsnd(questions, &message, 1, 0);
    msgrcv(replies, &message, 1, 0, 0);
    aw_assert(message.client == number);
    _exit(0);
}

int main(void)
{
    struct message message;
    questions = msgget(IPC_PRIVATE, 0600);
    replies = msgget(IPC_PRIVATE, 0600);
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            client(i);
    for (int i = 0; i < 2; i++) {
        msgrcv(questions, &message, 1, 0, 0);
        msgsnd(replies, &message, 1, 0);
    }
    while (wait(NULL) > 0)
        ;
    msgctl(questions, IPC_RMID, NULL);
    msgctl(replies, IPC_RMID, NULL);
    return 0;
}
