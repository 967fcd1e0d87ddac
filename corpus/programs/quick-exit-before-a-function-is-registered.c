// A child calls `quick_exit` before or after a thread of it registers a function for that.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void replaces_status(void)
{
    _exit(0);
}

static void *registers(void *unused)
{
    at_quick_exit(replaces_status);
    return unused;
}

int main(void)
{
    int status;
    if (fork() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, registers, NULL);
        quick_exit(5);
    }
    wait(&status);
    assert(WEXITSTATUS(status) == 0);
    return 0;
}
