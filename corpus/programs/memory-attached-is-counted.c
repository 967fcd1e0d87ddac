// How often System V memory is attached is asked before or while another thread has it.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <sys/shm.h>

static int memory;

static void *attaches(void *argument)
{
    shmdt(shmat(memory, NULL, 0));
    return NULL;
}

int main(void)
{
    struct shmid_ds status;
    pthread_t thread;
    memory = shmget(IPC_PRIVATE, 4096, 0600);
    pthread_create(&thread, NULL, attaches, NULL);
    shmctl(memory, IPC_STAT, &status);
    pthread_join(thread, NULL);
    shmctl(memory, IPC_RMID, NULL);
    assert(status.shm_nattch == 0);
    return 0;
}
