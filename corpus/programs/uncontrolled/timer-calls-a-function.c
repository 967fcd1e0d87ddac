// A timer calls a function in a thread of its own, which nobody here controls: who waits for it does not wait for ever.
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t done;

static void rings(union sigval unused)
{
    (void)unused;
    sem_post(&done);
}

int main(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = rings};
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
    timer_t timer;
    sem_init(&done, 0, 0);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    sem_wait(&done);
    timer_delete(timer);
    return 0;
}
