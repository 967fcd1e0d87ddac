// What it does depends on a variable (`variable`, `list`), on a file in its directory (`directory`)
// or on a file that it leaves (`file`).
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static int counted(void)
{
    int number = 0;
    FILE *file = fopen("counter.txt", "r");
    if (file) {
        if (fscanf(file, "%d", &number) != 1)
            number = 0;
        fclose(file);
    }
    file = fopen("counter.txt", "w");
    fprintf(file, "%d", number + 1);
    fclose(file);
    return number + 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, worker, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    if (strcmp(what, "variable") == 0)
        assert(!getenv("HUNTX"));
    if (strcmp(what, "list") == 0)
        for (char **variable = environ; *variable; variable++)
            assert(strcmp(*variable, "HUNTX=1") != 0);
    if (strcmp(what, "directory") == 0)
        assert(!fopen("marker.txt", "r"));
    if (strcmp(what, "file") == 0)
        assert(counted() % 3 != 0);
    return 0;
}
