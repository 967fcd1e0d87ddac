// `main` returns before or after a thread registers a function for that, which replaces the status.
//! verdict exit violated
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
    return 5;
}
