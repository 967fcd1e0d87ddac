// Both errors are expected, and a removal before the call, known to the caller, leaves one of them.
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
    assert(error == EIDRM || error == EINVAL);
    assert(msgrcv(queue, &error, 0, 0, 0) == -1 && errno == EINVAL);
    return 0;
}
