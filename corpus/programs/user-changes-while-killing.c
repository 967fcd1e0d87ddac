// A thread gives up the rights of the superuser; who sends a signal to a process of the superuser afterwards is refused.
// Without these rights the program says so itself, and fails in the same way.
//! verdict assertions violated
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void *changes(void *unused)
{
    setresuid(65534, 65534, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pid_t child;
    int result;
    assert(getuid() == 0);
    child = fork();
    if (child == 0)
        for (;;)
            pause();
    pthread_create(&thread, NULL, changes, NULL);
    result = kill(child, SIGKILL);
    pthread_join(thread, NULL);
    setresuid(0, 0, 0);
    if (result)
        kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert(result == 0);
    return 0;
}
