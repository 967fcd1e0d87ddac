// The same set, where either result is right.
#include <assert.h>
#include <pthread.h>
#include <sys/sem.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int set;
static int result;

static void *add(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    struct sembuf change = {0, 1, 0};
    result = semop(set, &change, 1);
    return argument;
}

int main(void)
{
    set = semget(IPC_PRIVATE, 1, 0600);
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    semctl(set, 0, IPC_RMID);
    pthread_join(thread, NULL);
    assert(result == 0 || result == -1);
    return 0;
}
