// `getitimer` sees the timer that another thread sets, or none.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <sys/time.h>

static void *sets(void *argument)
{
    struct itimerval timer = {{0, 0}, {1000, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    return NULL;
}

int main(void)
{
    struct itimerval timer;
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    getitimer(ITIMER_REAL, &timer);
    pthread_join(thread, NULL);
    assert(timer.it_value.tv_sec == 0);
    return 0;
}
