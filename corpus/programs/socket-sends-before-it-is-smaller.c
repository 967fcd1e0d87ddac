// A long message can be sent before another thread makes the buffer of the socket small.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static char bytes[60000];
static int ends[2];

static void *shrinks(void *unused)
{
    int size = 4608;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    return unused;
}

static void *sends(void *unused)
{
    assert(send(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) < 0);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    pthread_create(&one, NULL, shrinks, NULL);
    pthread_create(&other, NULL, sends, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
