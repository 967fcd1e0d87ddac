// holds
// Two threads cut texts of their own, and each remembers where it is.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *work(void *argument)
{
    char text[8];
    char *rest;
    strcpy(text, argument ? "one 1" : "zero 0");
    char *word = strtok_r(text, " ", &rest);
    char *digit = strtok_r(NULL, " ", &rest);
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
