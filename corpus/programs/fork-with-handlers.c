// A process is copied while nobody else has the mutex: what was registered for it takes it before, and gives it back on both sides.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void before(void)
{
    pthread_mutex_lock(&mutex);
}

static void after(void)
{
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    pthread_t thread;
    pthread_atfork(before, after, after);
    pthread_create(&thread, NULL, worker, NULL);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(&mutex);
        aw_assert(count <= 1);
        pthread_mutex_unlock(&mutex);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
    aw_assert(count == 1);
    return 0;
}
