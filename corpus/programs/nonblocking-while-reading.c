// A thread makes a pipe nonblocking; another may be waiting there already, or not yet.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused)
{
    char letter;
    (void)unused;
    return read(ends[0], &letter, 1) == 1 || errno == EAGAIN ? NULL : ends;
}

int main(void)
{
    pthread_t thread;
    void *wrong = NULL;
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&thread, NULL, reader, NULL);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (write(ends[1], "x", 1) != 1)
        return 3;
    pthread_join(thread, &wrong);
    return wrong == NULL ? 0 : 1;
}
