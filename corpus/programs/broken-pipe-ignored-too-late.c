// `SIGPIPE` is ignored by another thread, perhaps after the write to a pipe that nobody reads.
//! verdict exit violated
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *ignores(void *argument)
{
    signal(SIGPIPE, SIG_IGN);
    return NULL;
}

int main(void)
{
    int ends[2];
    pthread_t thread;
    pipe(ends);
    close(ends[0]);
    pthread_create(&thread, NULL, ignores, NULL);
    write(ends[1], "x", 1);
    pthread_join(thread, NULL);
    return 0;
}
