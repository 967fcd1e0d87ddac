// A thread makes a pipe nonblocking, perhaps before the reader, who then finds nothing.
//! verdict assertions violated
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <allways.h>

static int ends[2];

static void *worker(void *unused)
{
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (write(ends[1], "x", 1) != 1)
        _exit(3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char letter;
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&thread, NULL, worker, NULL);
    ssize_t n = read(ends[0], &letter, 1);
    pthread_join(thread, NULL);
    aw_assert(n == 1);
    return 0;
}
