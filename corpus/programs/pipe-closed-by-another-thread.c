// A thread closes the pipe that another one writes; the writer may be too late.
//! verdict exit violated
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *hang_up(void *unused)
{
    close(ends[1]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&thread, NULL, hang_up, NULL);
    ssize_t sent = write(ends[1], "x", 1);
    pthread_join(thread, NULL);
    return sent == 1 ? 0 : 3;
}
