// The client may come before the server listens.
//! verdict exit violated
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un name = { AF_UNIX, "\0allways-connect-before-listen" };

static void *serve(void *unused)
{
    (void)unused;
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(server, (struct sockaddr *)&name, sizeof name);
    listen(server, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, serve, NULL);
    int mine = socket(AF_UNIX, SOCK_STREAM, 0);
    int result = connect(mine, (struct sockaddr *)&name, sizeof name);
    pthread_join(thread, NULL);
    return result == 0 ? 0 : 3;
}
