// A process that finds shared memory with a name may touch it before the one who made it has given it a size.
//! verdict crash violated
//! uncontrolled a file that is mapped, and also read or written
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int *map(int memory)
{
    return mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
}

int main(void)
{
    if (fork() == 0) {
        int made = shm_open("/allways-too-short", O_CREAT | O_RDWR, 0600);
        assert(ftruncate(made, sizeof(int)) == 0);
        *map(made) = 1;
        _exit(0);
    }
    int found = shm_open("/allways-too-short", O_RDWR, 0600);
    if (found >= 0)
        *map(found) = 2;
    wait(NULL);
    return 0;
}
