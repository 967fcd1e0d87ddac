// A thread is in another folder for a moment, in which the process is copied.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char here[4096];

static void *visits(void *argument)
{
    chdir("/");
    chdir(here);
    return NULL;
}

int main(void)
{
    char folder[4096];
    int status;
    pthread_t thread;
    getcwd(here, sizeof here);
    pthread_create(&thread, NULL, visits, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(strcmp(getcwd(folder, sizeof folder), here) != 0);
    pthread_join(thread, NULL);
    waitpid(child, &status, 0);
    assert(status == 0);
    return 0;
}
