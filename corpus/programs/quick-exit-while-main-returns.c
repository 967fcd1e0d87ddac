// A thread calls `quick_exit`, which runs a function, unless `main` has returned and removed it.
//! verdict exit violated
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void replaces_status(void)
{
    _exit(3);
}

static void *ends(void *unused)
{
    (void)unused;
    quick_exit(0);
}

int main(void)
{
    pthread_t thread;
    at_quick_exit(replaces_status);
    pthread_create(&thread, NULL, ends, NULL);
    return 0;
}
