// The same over the network of this machine, with a port that the kernel chooses.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof name;
    char byte = 0;
    int status, server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&name, sizeof name) != 0 || listen(server, 2) != 0
        || getsockname(server, (struct sockaddr *)&name, &length) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            int mine = socket(AF_INET, SOCK_STREAM, 0);
            close(server);
            if (connect(mine, (struct sockaddr *)&name, sizeof name) != 0 || write(mine, "x", 1) != 1)
                _exit(3);
            _exit(read(mine, &byte, 1) == 0 ? 0 : 4);
        }
    for (int i = 0; i < 2; i++) {
        int peer = accept(server, NULL, NULL);
        if (read(peer, &byte, 1) != 1 || byte != 'x')
            return 5;
        close(peer);
    }
    for (int i = 0; i < 2; i++) {
        wait(&status);
        if (status != 0)
            return 6;
    }
    return 0;
}
