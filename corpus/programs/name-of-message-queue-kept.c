// H6: who has a queue open keeps it when the name is removed, and the name can be given anew.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <allways.h>

static void *worker(void *unused)
{
    mq_unlink("/name");
    return unused;
}

int main(void)
{
    pthread_t thread;
    mqd_t queue = mq_open("/name", O_CREAT | O_RDWR, 0600, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    aw_assert(mq_send(queue, "a", 1, 0) == 0);
    pthread_join(thread, NULL);
    char message[8192];
    struct mq_attr attributes;
    aw_assert(mq_open("/name", O_RDWR) == -1);
    mqd_t other = mq_open("/name", O_CREAT | O_EXCL | O_RDWR, 0600, NULL);
    aw_assert(mq_getattr(other, &attributes) == 0 && attributes.mq_curmsgs == 0);
    aw_assert(mq_receive(queue, message, sizeof message, NULL) == 1);
    return 0;
}
