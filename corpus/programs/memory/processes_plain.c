// violated: races
// H3: two processes count in memory that they share, and nothing orders them.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t lock;
    int counter;
};

int main(void) {
    struct shared *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &attributes);
    pid_t child = fork();
    shared->counter++;
    if (child == 0) _exit(0);
    waitpid(child, 0, 0);
    return 0;
}
