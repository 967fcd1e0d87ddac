// violated: crash races
// H9: shared memory is detached, while a thread may not have read it yet.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/shm.h>

static volatile char *page;

static void *work(void *argument) {
    shmdt((void *)page);
    return argument;
}

int main(void) {
    pthread_t thread;
    int number = shmget(IPC_PRIVATE, 4096, 0600);
    page = shmat(number, 0, 0);
    shmctl(number, IPC_RMID, 0);
    pthread_create(&thread, 0, work, 0);
    char byte = page[0];
    pthread_join(thread, 0);
    return byte;
}
