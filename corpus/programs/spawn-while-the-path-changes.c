// Another thread changes the path while a program is started: it may be found no more.
//! verdict assertions violated
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <allways.h>

extern char **environ;

static void *worker(void *unused)
{
    setenv("PATH", "/nowhere", 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char *arguments[] = { "true", NULL };
    pid_t child;
    setenv("PATH", "/bin:/usr/bin", 1);
    pthread_create(&thread, NULL, worker, NULL);
    int error = posix_spawnp(&child, "true", NULL, NULL, arguments, environ);
    pthread_join(thread, NULL);
    aw_assert(error == 0);
    waitpid(child, NULL, 0);
    return 0;
}
