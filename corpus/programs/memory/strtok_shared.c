// violated: assertions misuse races
// Two threads cut texts of their own with strtok, which remembers where it is in a place that they share.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *work(void *argument)
{
    char text[8];
    strcpy(text, argument ? "one 1" : "zero 0");
    char *word = strtok(text, " ");
    char *digit = strtok(NULL, " ");
    assert(word == text && digit != NULL && *digit == (argument ? '1' : '0'));
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
