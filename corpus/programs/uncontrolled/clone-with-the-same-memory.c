// A process that shares the memory of its parent: `waitpid` does not fail, and the assertion holds (F6).
#define _GNU_SOURCE
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { SIZE = 65536 };

static int is_done;

static int work(void *argument)
{
    is_done = 1;
    return argument != NULL;
}

int main(void)
{
    char *stack = malloc(SIZE);
    int child = clone(work, stack + SIZE, CLONE_VM | SIGCHLD, NULL);
    int status;
    int waited = waitpid(child, &status, 0);
    assert(waited == child && is_done);
    free(stack);
    return 0;
}
