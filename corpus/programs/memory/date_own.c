// holds
// Two threads make dates, each in a place of its own.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *work(void *argument)
{
    long number = (long)argument;
    struct tm date;
    assert(gmtime_r(&(time_t){number * 86400}, &date) == &date && date.tm_mday == 1 + number);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
