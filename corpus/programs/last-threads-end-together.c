// A process ends with its last thread, also if two of them are about to end at the same time.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *worker(void *unused)
{
    return unused;
}

static void begin(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_exit(NULL);
}

int main(void)
{
    if (fork() == 0)
        begin();
    if (fork() == 0)
        _exit(0);
    wait(NULL);
    wait(NULL);
}
