// A queue for one message: the sender waits while it is full, and messages of higher priority come first.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <allways.h>

static mqd_t queue;

static void *sender(void *unused)
{
    for (char i = 0; i < 2; i++)
        mq_send(queue, &i, 1, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 1 };
    queue = mq_open("/allways-corpus", O_RDWR | O_CREAT, 0600, &attributes);
    if (queue == (mqd_t)-1)
        return 2;
    mq_unlink("/allways-corpus");
    pthread_create(&thread, NULL, sender, NULL);
    for (char i = 0; i < 2; i++) {
        char got = 9;
        mq_receive(queue, &got, 1, NULL);
        aw_assert(got == i);
    }
    pthread_join(thread, NULL);
    mq_close(queue);
    return 0;
}
