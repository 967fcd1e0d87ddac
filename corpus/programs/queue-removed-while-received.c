// A call that waits for a message when the queue is removed fails with EIDRM, and one that comes later with EINVAL.
//! verdict assertions violated
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/msg.h>

static int queue;
static int error;

static void *receive(void *argument)
{
    struct {
        long kind;
        char text[4];
    } message;
    msgrcv(queue, &message, sizeof message.text, 0, 0);
    error = errno;
    return argument;
}

int main(void)
{
    queue = msgget(IPC_PRIVATE, 0600);
    pthread_t thread;
    pthread_create(&thread, NULL, receive, NULL);
    msgctl(queue, IPC_RMID, NULL);
    pthread_join(thread, NULL);
    assert(error == EIDRM);
    return 0;
}
