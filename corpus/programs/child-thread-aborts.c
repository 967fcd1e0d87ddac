// The second thread of a child aborts: the parent sees that signal, and not the one that ends the rest of the child.
//! options --children-may-crash
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *aborts(void *unused)
{
    abort();
    return unused;
}

int main(void)
{
    int status;
    pthread_t thread;
    if (fork() == 0) {
        pthread_create(&thread, NULL, aborts, NULL);
        pthread_join(thread, NULL);
        _exit(0);
    }
    wait(&status);
    assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    return 0;
}
