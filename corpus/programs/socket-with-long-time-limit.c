// A long SO_RCVTIMEO passes only when nothing else can happen: what is sent is received.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int ends[2];

static void *send_one(void *argument)
{
    assert(write(ends[1], "x", 1) == 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct timeval limit = {.tv_sec = 1000};
    char byte;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    pthread_create(&thread, NULL, send_one, NULL);
    assert(recv(ends[0], &byte, 1, 0) == 1);
    pthread_join(thread, NULL);
    return 0;
}
