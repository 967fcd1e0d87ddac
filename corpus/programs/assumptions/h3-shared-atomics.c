// Finding h3: two processes count with atomic operations in memory that they share.
#include <assert.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    atomic_int *counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    int value = atomic_load(counter);
    atomic_store(counter, value + 1);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    assert(*counter == 2);
    return 0;
}
