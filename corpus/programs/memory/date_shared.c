// violated: assertions races
// Two threads make dates, which the C library puts into the same place.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *work(void *argument)
{
    long number = (long)argument;
    struct tm *date = gmtime(&(time_t){number * 86400});
    assert(date->tm_mday == 1 + number);
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
