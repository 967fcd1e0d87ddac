// H2: the same with one thread only, and with an alarm that may come at any time.
//! verdict deadlock violated
#include <pthread.h>
#include <sys/time.h>

int main(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct itimerval soon = {{0, 0}, {2, 0}};
    setitimer(ITIMER_REAL, &soon, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return 0;
}
