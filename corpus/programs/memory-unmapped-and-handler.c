// A thread writes to a mapping that another one takes away. The function for the fault ends the program
// with 0; only if the write comes first is the status another one.
//! verdict exit violated
//! verdict races violated
//! compile -fsanitize=thread
//! options --visible memory
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static int *numbers;

static void faults(int signal)
{
    (void)signal;
    _exit(0);
}

static void *use(void *unused)
{
    numbers[5] = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGSEGV, faults);
    numbers = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, use, NULL);
    munmap(numbers, 4096);
    pthread_join(thread, NULL);
    return 2;
}
