// F9: of two limits that hang, the one that is up first passes first.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t never, told;

static void *waits(void *unused)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    assert(sem_timedwait(&never, &limit) == -1);
    sem_post(&told);
    return unused;
}

int main(void)
{
    struct timespec limit;
    pthread_t thread;
    sem_init(&never, 0, 0);
    sem_init(&told, 0, 0);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 60;
    pthread_create(&thread, 0, waits, 0);
    assert(sem_timedwait(&told, &limit) == 0);
    pthread_join(thread, 0);
    return 0;
}
