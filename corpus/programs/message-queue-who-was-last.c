// A message queue tells who sent and who received last.
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

struct message {
    long kind;
    char letter;
};

int main(void)
{
    struct message message = { 1, 'x' };
    struct msqid_ds status;
    int queue = msgget(IPC_PRIVATE, 0600);
    pid_t child = fork();
    if (child == 0) {
        msgsnd(queue, &message, 1, 0);
        _exit(0);
    }
    aw_assert(msgrcv(queue, &message, 1, 0, 0) == 1);
    aw_assert(msgctl(queue, IPC_STAT, &status) == 0);
    aw_assert(status.msg_lspid == child && status.msg_lrpid == getpid() && status.msg_qnum == 0);
    waitpid(child, NULL, 0);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
