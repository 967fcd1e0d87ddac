// A process is copied before or after a thread registers what is to be called in the copy.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_called;

static void in_child(void)
{
    is_called = 1;
}

static void *registers(void *unused)
{
    pthread_atfork(NULL, NULL, in_child);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int status;
    pthread_create(&thread, NULL, registers, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(is_called);
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    assert(WEXITSTATUS(status) == 1);
    return 0;
}
