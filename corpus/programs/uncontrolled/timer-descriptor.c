// A timer that is read like a file.
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void)
{
    uint64_t times = 0;
    struct itimerspec soon = { .it_value = { .tv_nsec = 1000 } };
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &soon, NULL);
    return read(timer, &times, sizeof times) == sizeof times && times == 1 ? 0 : 1;
}
