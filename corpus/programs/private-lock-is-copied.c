// A process is copied while a thread has a lock that it alone uses; in the copy nobody gives it
// back.
//! verdict deadlock violated
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(&own);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
