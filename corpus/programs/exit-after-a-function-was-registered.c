// A thread registers a function that replaces the status; `main` returns when the thread is over.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void replaces_status(void)
{
    _exit(0);
}

static void *registers(void *unused)
{
    atexit(replaces_status);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, registers, NULL);
    pthread_join(thread, NULL);
    return 5;
}
