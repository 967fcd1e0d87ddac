// H7: two threads share the time zone, so it matters whether one sets it before the other asks for the hour.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static int hour;

static void *ask(void *unused)
{
    time_t start = 0;
    struct tm date;
    localtime_r(&start, &date);
    hour = date.tm_hour;
    return unused;
}

int main(void)
{
    pthread_t thread;
    setenv("TZ", "UTC", 1);
    tzset();
    setenv("TZ", "XYZ-5", 1);
    pthread_create(&thread, NULL, ask, NULL);
    tzset();
    pthread_join(thread, NULL);
    assert(hour == 5);
    return 0;
}
