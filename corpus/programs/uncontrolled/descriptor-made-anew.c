// A descriptor is closed and its number given to another pipe while a thread may read from it.
#include <pthread.h>
#include <unistd.h>

static int ends[2], others[2];

static void *reader(void *unused)
{
    char letter;
    (void)unused;
    return read(ends[0], &letter, 1) == 1 ? NULL : ends;
}

int main(void)
{
    pthread_t thread;
    void *wrong = NULL;
    if (pipe(ends) != 0 || pipe(others) != 0 || write(others[1], "y", 1) != 1)
        return 2;
    pthread_create(&thread, NULL, reader, NULL);
    if (dup2(others[0], ends[0]) < 0)
        return 3;
    close(ends[1]);
    pthread_join(thread, &wrong);
    return 0;
}
