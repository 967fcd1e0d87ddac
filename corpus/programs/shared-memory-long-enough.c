// Whoever comes first gives shared memory with a name its size; the others find that it has it.
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(void)
{
    int memory = shm_open("/allways-long-enough", O_CREAT | O_RDWR, 0600);
    assert(memory >= 0 && ftruncate(memory, sizeof(int)) == 0);
    *(int *)mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) = 1;
}

int main(void)
{
    if (fork() == 0) {
        work();
        _exit(0);
    }
    work();
    wait(NULL);
    return 0;
}
