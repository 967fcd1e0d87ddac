// Two processes map memory with a name when they have used a lock of their own already. The semaphore that is in there is one for both.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static sem_t *map(void)
{
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    int memory = shm_open("/allways-mapped-late", O_RDWR, 0600);
    return mmap(NULL, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
}

int main(void)
{
    int memory = shm_open("/allways-mapped-late", O_CREAT | O_RDWR, 0600);
    assert(ftruncate(memory, sizeof(sem_t)) == 0);
    if (fork() == 0) {
        sem_post(map());
        _exit(0);
    }
    sem_wait(map());
    wait(NULL);
    return 0;
}
