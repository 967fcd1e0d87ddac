// Waits for something that nobody models: a datagram, or a change of a directory.
#include <netinet/in.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

static int is_socket;

static void *wait_there(void *nothing)
{
    char bytes[4096];
    if (is_socket) {
        struct sockaddr_in address = {.sin_family = AF_INET};
        int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
        bind(descriptor, (struct sockaddr *)&address, sizeof address);
        recv(descriptor, bytes, sizeof bytes, 0);
    } else {
        int descriptor = inotify_init();
        inotify_add_watch(descriptor, ".", IN_DELETE_SELF);
        if (read(descriptor, bytes, sizeof bytes) < 0) return 0;
    }
    return nothing;
}

int main(int count, char **arguments)
{
    pthread_t thread;
    is_socket = count > 1;
    pthread_create(&thread, 0, wait_there, 0);
    pthread_join(thread, 0);
}
