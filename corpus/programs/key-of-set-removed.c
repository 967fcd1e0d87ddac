// H6: whether a System V set has the key is found out when it is asked for.
//! verdict assertions violated
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <allways.h>

static int number;

static void *worker(void *unused)
{
    semctl(number, 0, IPC_RMID);
    return unused;
}

int main(void)
{
    pthread_t thread;
    number = semget(7, 1, IPC_CREAT | 0600);
    pthread_create(&thread, NULL, worker, NULL);
    aw_assert(semget(7, 1, 0) != -1);
    pthread_join(thread, NULL);
    return 0;
}
