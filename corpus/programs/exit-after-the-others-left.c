// A thread ends the process. In the first schedule the other one is over by then, but nobody waited for it: it might not have got so far.
//! verdict assertions violated
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static int *value;

static void *last(void *unused)
{
    (void)unused;
    _exit(0);
}

int main(void)
{
    value = mmap(NULL, sizeof *value, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, last, NULL);
        aw_visible("value");
        *value = 1;
        pthread_exit(NULL);
    }
    wait(NULL);
    aw_assert(*value == 1);
}
