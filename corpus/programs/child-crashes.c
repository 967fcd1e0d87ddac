// A child uses an address that it must not use, if it comes too early.
//! verdict crash violated
#include <sys/mman.h>
#include <sys/wait.h>
#include <semaphore.h>
#include <unistd.h>

struct shared {
    sem_t mutex;
    int is_ready;
};

static void use(struct shared *shared)
{
    int *nothing = shared->is_ready ? &shared->is_ready : (int *)0;
    *nothing = 2;
}

int main(void)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->mutex, 1, 1);
    if (fork() == 0) {
        sem_wait(&shared->mutex);
        use(shared);
        sem_post(&shared->mutex);
        _exit(0);
    }
    sem_wait(&shared->mutex);
    shared->is_ready = 1;
    sem_post(&shared->mutex);
    wait(NULL);
    return 0;
}
