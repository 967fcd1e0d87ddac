// A process dies with a robust mutex that it shares with its parent.
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    pthread_mutexattr_t attribute;
    pthread_mutex_t *mutex =
        mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attribute);
    if (fork() == 0) {
        pthread_mutex_lock(mutex);
        _exit(0);
    }
    wait(NULL);
    aw_assert(pthread_mutex_lock(mutex) == EOWNERDEAD);
    pthread_mutex_consistent(mutex);
    pthread_mutex_unlock(mutex);
    return 0;
}
