// Functions that wait for others, as they are called where the compiler has it checked that there is room.
//! compile -D_FORTIFY_SOURCE=2
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];
static volatile size_t length = 4;
static volatile nfds_t one = 1;
static volatile int flags = O_WRONLY;

static void *gets(void *unused)
{
    char buffer[8];
    struct pollfd entries[2] = {{.fd = ends[0], .events = POLLIN}};
    assert(ppoll(entries, one, NULL, NULL) == 1);
    assert(recvfrom(ends[0], buffer, length, 0, NULL, NULL) == 4);
    assert(recv(ends[0], buffer, length, 0) == 4);
    mqd_t queue = mq_open("/checked", flags);
    assert(queue != (mqd_t)-1 && mq_send(queue, "done", 4, 0) == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char buffer[16];
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof buffer};
    mqd_t queue = mq_open("/checked", O_CREAT | O_RDONLY, 0600, &attributes);
    assert(queue != (mqd_t)-1 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, gets, NULL);
    for (int i = 0; i < 2; i++)
        assert(send(ends[1], "four", 4, 0) == 4);
    assert(mq_receive(queue, buffer, sizeof buffer, NULL) == 4);
    pthread_join(thread, NULL);
    return 0;
}
