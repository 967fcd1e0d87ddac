// Who waits for zero must come before both of those who add, though these are independent of each other.
//! verdict deadlock violated
//! verdict assertions violated
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <allways.h>

static int set;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *adder(void *unused)
{
    semop(set, &(struct sembuf){ 0, 1, 0 }, 1);
    return unused;
}

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    semop(set, &(struct sembuf){ 0, 0, 0 }, 1);
    aw_assert(0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    set = semget(IPC_PRIVATE, 1, 0600);
    semctl(set, 0, SETVAL, 0);
    pthread_create(&threads[0], NULL, adder, NULL);
    pthread_create(&threads[1], NULL, waiter, NULL);
    pthread_create(&threads[2], NULL, adder, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    semctl(set, 0, IPC_RMID);
}
