// F3: `quick_exit` runs its own functions and ends the process with a status: that is no crash. A child tells by its status that they ran.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void at_end(void)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}

static void tells(void)
{
    _exit(count == 1 ? 5 : 6);
}

static void *ends(void *argument)
{
    (void)argument;
    quick_exit(0);
}

int main(void)
{
    int status;
    if (fork() == 0) {
        at_quick_exit(tells);
        at_quick_exit(at_end);
        quick_exit(7);
    }
    wait(&status);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    if (fork() == 0)
        quick_exit(9);
    wait(&status);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 9);
    pthread_t thread;
    pthread_create(&thread, NULL, ends, NULL);
    pthread_join(thread, NULL);
    return 1;
}
