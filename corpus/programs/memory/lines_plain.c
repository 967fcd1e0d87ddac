// violated: races
// Two threads get lines of files of their own into the same place.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char line[16];

static void *work(void *argument)
{
    FILE *file = fmemopen(argument ? "one\n" : "zero\n", argument ? 4 : 5, "r");
    assert(file != NULL);
    assert(fgets(line, sizeof line, file) == line);
    fclose(file);
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
