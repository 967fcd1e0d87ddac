// What is undone when a process ends is of no use to its other threads: these have ended before.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static int set;
static int *passed;

static void *taker(void *unused)
{
    semop(set, &(struct sembuf){ 0, -1, 0 }, 1);
    aw_visible("passed");
    *passed = 1;
    return unused;
}

int main(void)
{
    passed = mmap(NULL, sizeof *passed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    set = semget(IPC_PRIVATE, 1, 0600);
    semctl(set, 0, SETVAL, 1);
    if (fork() == 0) {
        pthread_t thread;
        semop(set, &(struct sembuf){ 0, -1, SEM_UNDO }, 1);
        pthread_create(&thread, NULL, taker, NULL);
        _exit(0);
    }
    wait(NULL);
    aw_assert(*passed == 0 && semctl(set, 0, GETVAL) == 1);
    semctl(set, 0, IPC_RMID);
}
