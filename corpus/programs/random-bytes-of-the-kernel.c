// What the kernel gives a program to begin with, and what compiled code puts on the stack to notice mistakes, decide which locks are taken.
// They are the same under every schedule.
//! executions source 10
//! executions naive 100
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

static pthread_mutex_t locks[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *work(void *unused)
{
    uint64_t numbers[3];
    memcpy(numbers, (void *)getauxval(AT_RANDOM), 16);
    __asm__ volatile("mov %%fs:0x28, %0" : "=r"(numbers[2]));
    for (int i = 0; i < 3; i++) {
        pthread_mutex_t *lock = &locks[numbers[i] >> 20 & 3];
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
}
