// A client connects, asks, and gets its answer; the server waits for it.
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un name = { AF_UNIX, "\0allways-server-and-client" };
static int answer;

static void *client(void *unused)
{
    (void)unused;
    int mine = socket(AF_UNIX, SOCK_STREAM, 0);
    char byte = 1;
    if (connect(mine, (struct sockaddr *)&name, sizeof name) == 0 && write(mine, &byte, 1) == 1
        && read(mine, &byte, 1) == 1)
        answer = byte;
    close(mine);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char byte;
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&name, sizeof name) != 0 || listen(server, 1) != 0)
        return 2;
    pthread_create(&thread, NULL, client, NULL);
    int peer = accept(server, NULL, NULL);
    if (peer < 0 || read(peer, &byte, 1) != 1)
        return 3;
    byte++;
    if (write(peer, &byte, 1) != 1 || read(peer, &byte, 1) != 0)
        return 4;
    pthread_join(thread, NULL);
    return answer == 2 ? 0 : 5;
}
