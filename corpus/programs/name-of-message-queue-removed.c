// H6: the same for message queues.
//! verdict assertions violated
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
    mq_open("/name", O_CREAT | O_RDWR, 0600, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    aw_assert(mq_open("/name", O_RDWR) != -1);
    pthread_join(thread, NULL);
    return 0;
}
