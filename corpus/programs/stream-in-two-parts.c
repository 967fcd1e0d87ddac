// What a thread prints in two parts may have something of another thread in between.
//! options --scratch
//! executions source 20
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static FILE *log;

static void *worker(void *number)
{
    const char *name = (long)number == 0 ? "a" : "b";
    fputs("<", log);
    fputs(name, log);
    fputs(">", log);
    return NULL;
}

int main(void)
{
    log = fopen("log", "w+");
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    char text[9] = "";
    rewind(log);
    assert(fgets(text, sizeof text, log) != NULL);
    assert(strcmp(text, "<a><b>") == 0 || strcmp(text, "<b><a>") == 0);
    fclose(log);
    return 0;
}
