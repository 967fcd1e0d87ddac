// holds
// The same under a lock.
#include <pthread.h>
#include <stdio.h>

static char format[] = "%d\n";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    char text[20];
    if (argument)
        format[1] = 'x';
    else
        snprintf(text, sizeof text, format, 17);
    pthread_mutex_unlock(&lock);
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
