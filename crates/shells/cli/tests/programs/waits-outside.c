// Waits for something that nobody models: a datagram (`socket`), the lock of a stream that another
// thread has while it reads from a pipe (`lock`), or a change of a directory.
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
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

static FILE *stream;

static void *read_stream(void *nothing)
{
    fgetc(stream);
    return nothing;
}

static int share_stream(void)
{
    int ends[2];
    pthread_t threads[2];
    if (pipe(ends) != 0) return 1;
    stream = fdopen(ends[0], "r");
    for (int number = 0; number < 2; number++) pthread_create(&threads[number], 0, read_stream, 0);
    sleep(1);
    close(ends[1]);
    for (int number = 0; number < 2; number++) pthread_join(threads[number], 0);
    return 0;
}

int main(int count, char **arguments)
{
    pthread_t thread;
    if (count > 1 && strcmp(arguments[1], "lock") == 0) return share_stream();
    is_socket = count > 1;
    pthread_create(&thread, 0, wait_there, 0);
    pthread_join(thread, 0);
}
