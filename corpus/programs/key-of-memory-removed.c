// H6: whether a System V memory has the key is found out when it is asked for.
//! verdict assertions violated
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <allways.h>

static int number;

static void *worker(void *unused)
{
    shmctl(number, IPC_RMID, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    number = shmget(7, 4096, IPC_CREAT | 0600);
    pthread_create(&thread, NULL, worker, NULL);
    aw_assert(shmget(7, 4096, 0) != -1);
    pthread_join(thread, NULL);
    return 0;
}
