// `mq_setattr` makes a queue blocking again: the receiver gets the message or finds nothing.
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <allways.h>

static mqd_t queue;

static void *worker(void *unused)
{
    struct mq_attr attributes = { .mq_flags = 0 };
    mq_setattr(queue, &attributes, NULL);
    mq_send(queue, "x", 1, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char message[8];
    struct mq_attr attributes = { .mq_maxmsg = 2, .mq_msgsize = 8 };
    queue = mq_open("/meanwhile", O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attributes);
    pthread_create(&thread, NULL, worker, NULL);
    ssize_t n = mq_receive(queue, message, sizeof message, NULL);
    aw_assert(n == 1 || errno == EAGAIN);
    pthread_join(thread, NULL);
    return 0;
}
