// The C library keeps addresses mixed with a random number. By chance they look like times, which pass; but a loop that waits with a
// time limit finds everything as it was.
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define EARLY_IN_2020 0x5e12345678901234

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;
volatile uint64_t kept;

static uint64_t guard(void)
{
    uint64_t guard;
    __asm__ volatile("mov %%fs:0x30, %0" : "=r"(guard));
    return guard;
}

static void set_guard(uint64_t guard)
{
    __asm__ volatile("mov %0, %%fs:0x30" : : "r"(guard));
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void poll_with_guard(uint64_t chance)
{
    uint64_t usual = guard();
    set_guard(chance);
    pthread_t thread;
    is_ready = 0;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    while (!is_ready) {
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += 1;
        pthread_cond_timedwait(&condition, &mutex, &limit);
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    set_guard(usual);
}

int main(void)
{
    poll_with_guard(EARLY_IN_2020);
    kept = EARLY_IN_2020;
    poll_with_guard((kept >> 17 | kept << 47) ^ (uintptr_t)work);
}
