// Processes count in System V shared memory, under a POSIX semaphore that lies there too.
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

struct shared {
    sem_t mutex;
    int count;
};

int main(void)
{
    int id = shmget(IPC_PRIVATE, sizeof(struct shared), 0600);
    struct shared *shared = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    sem_init(&shared->mutex, 1, 1);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            sem_wait(&shared->mutex);
            shared->count++;
            sem_post(&shared->mutex);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    aw_assert(shared->count == 2);
    return 0;
}
