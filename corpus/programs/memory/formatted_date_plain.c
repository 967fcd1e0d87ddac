// violated: races
// Two threads write dates as texts into the same memory.
#include <pthread.h>
#include <time.h>

static char text[40];

static void *work(void *argument)
{
    struct tm date = {.tm_year = 100, .tm_mday = 1};
    strftime(text, sizeof text, "%Y-%m-%d", &date);
    return argument;
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
