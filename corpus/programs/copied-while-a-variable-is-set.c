// The process is copied between the two variables that another thread sets: the child has one of them.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *sets(void *argument)
{
    setenv("ONE", "1", 1);
    setenv("OTHER", "1", 1);
    return NULL;
}

int main(void)
{
    int status;
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit((getenv("ONE") == NULL) != (getenv("OTHER") == NULL));
    pthread_join(thread, NULL);
    waitpid(child, &status, 0);
    assert(status == 0);
    return 0;
}
