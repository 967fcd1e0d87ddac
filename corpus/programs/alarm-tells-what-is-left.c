// After ten seconds of sleep, ninety are left of an alarm of a hundred.
#include <assert.h>
#include <sys/time.h>
#include <unistd.h>

int main(void)
{
    struct itimerval timer;
    alarm(100);
    sleep(10);
    getitimer(ITIMER_REAL, &timer);
    assert(timer.it_value.tv_sec == 89 || timer.it_value.tv_sec == 90);
    unsigned left = alarm(0);
    assert(left == 89 || left == 90);
    assert(alarm(0) == 0);
    return 0;
}
