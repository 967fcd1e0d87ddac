// A large block is a mapping of its own: who uses it after it was given back crashes, who uses it before does not.
// Here a child may crash, and its parent takes for granted that it does.
//! verdict assertions violated
//! verdict races violated
//! compile -fsanitize=thread
//! options --visible memory --children-may-crash
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *block;

static void *use(void *unused)
{
    block[300000] = 1;
    return unused;
}

int main(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        block = malloc(400000);
        pthread_create(&thread, NULL, use, NULL);
        free(block);
        pthread_join(thread, NULL);
        _exit(3);
    }
    waitpid(child, &status, 0);
    assert(WIFSIGNALED(status));
    return 0;
}
