// A socket that becomes nonblocking, or an eventfd: who waits already goes on waiting, who comes
// later fails with EAGAIN.
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <allways.h>

static int counter, pair[2];

static void *worker(void *unused)
{
    int on = 1;
    uint64_t one = 1;
    ioctl(counter, FIONBIO, &on);
    if (write(counter, &one, sizeof one) != sizeof one)
        _exit(3);
    ioctl(pair[0], FIONBIO, &on);
    if (send(pair[1], "x", 1, 0) != 1)
        _exit(4);
    return unused;
}

int main(void)
{
    pthread_t thread;
    uint64_t value;
    char letter;
    counter = eventfd(0, 0);
    if (counter < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 2;
    pthread_create(&thread, NULL, worker, NULL);
    ssize_t n = read(counter, &value, sizeof value);
    aw_assert((n == sizeof value && value == 1) || (n == -1 && errno == EAGAIN));
    n = recv(pair[0], &letter, 1, 0);
    aw_assert(n == 1 || (n == -1 && errno == EAGAIN));
    pthread_join(thread, NULL);
    return 0;
}
