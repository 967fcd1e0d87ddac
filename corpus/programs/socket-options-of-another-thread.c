// A thread changes what a socket is; another one asks for that, or sends: each time before or after.
//! options --scratch
//! executions source 10
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <allways.h>

static struct sockaddr_un address = {AF_UNIX, "socket"};
static int way, listener, one, ends[2];

static void *changes(void *unused)
{
    int number = 8192;
    switch (way) {
    case 0: setsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, &number, sizeof number); break;
    case 1: bind(one, (void *)&address, sizeof address); break;
    case 2: connect(one, (void *)&address, sizeof address); break;
    case 3: listen(listener, 1); break;
    case 4: setsockopt(ends[0], SOL_SOCKET, SO_RCVBUF, &number, sizeof number); break;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    int number = 0;
    struct sockaddr_un name;
    socklen_t length = sizeof number, size = sizeof name;
    way = aw_toss(4);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    one = socket(AF_UNIX, SOCK_STREAM, 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (way >= 2)
        bind(listener, (void *)&address, sizeof address);
    if (way == 2)
        listen(listener, 1);
    pthread_create(&thread, NULL, changes, NULL);
    switch (way) {
    case 0: getsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, &number, &length); break;
    case 1: getsockname(one, (void *)&name, &size); break;
    case 2: getpeername(one, (void *)&name, &size); break;
    case 3: getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &number, &length); break;
    case 4: getsockopt(ends[0], SOL_SOCKET, SO_RCVBUF, &number, &length); break;
    }
    pthread_join(thread, NULL);
    return 0;
}
