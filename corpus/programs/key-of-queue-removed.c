// H6: whether a System V queue has the key is found out when it is asked for.
//! verdict assertions violated
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <allways.h>

static int number;

static void *worker(void *unused)
{
    msgctl(number, IPC_RMID, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    number = msgget(7, IPC_CREAT | 0600);
    pthread_create(&thread, NULL, worker, NULL);
    aw_assert(msgget(7, 0) != -1);
    pthread_join(thread, NULL);
    return 0;
}
