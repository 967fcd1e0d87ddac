// A signal ends a process with two threads; how far each of them got is open.
//! verdict assertions violated
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static int *value;

static void *worker(void *unused)
{
    aw_visible("value");
    *value = 1;
    return unused;
}

int main(void)
{
    value = mmap(NULL, sizeof *value, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
        pthread_join(thread, NULL);
        _exit(0);
    }
    kill(child, SIGTERM);
    int status;
    waitpid(child, &status, 0);
    aw_assert(!WIFSIGNALED(status) || *value == 0);
}
