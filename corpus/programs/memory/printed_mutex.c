// holds
// Two threads print into the same place, one after the other; all that is printed is there.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char text[64];

static void *work(void *argument)
{
    char own[64];
    int length = sprintf(own, "%ld %d %s %.2f %.1f %c %d %d %ld", (long)argument, 2, "three", 4.0, 5.5, '6', 7, 8, 9L);
    pthread_mutex_lock(&mutex);
    assert(length == 26 && snprintf(text, 8, "%s", own) == length && strlen(text) == 7);
    assert(snprintf(text, sizeof text, "%s", own) == length);
    assert(strcmp(text + 1, " 2 three 4.00 5.5 6 7 8 9") == 0);
    puts(text);
    pthread_mutex_unlock(&mutex);
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
