// Of two processes that make shared memory with the same name, one is refused; none is there when an execution begins, though nobody
// removes it.
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int make(void)
{
    return shm_open("/allways-made-once", O_CREAT | O_EXCL | O_RDWR, 0600);
}

int main(void)
{
    int parts[2];
    assert(pipe(parts) == 0);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            char is_made = make() >= 0;
            assert(write(parts[1], &is_made, 1) == 1);
            _exit(0);
        }
    char made[2];
    for (int i = 0; i < 2; i++)
        assert(read(parts[0], &made[i], 1) == 1);
    assert(made[0] + made[1] == 1);
    while (wait(NULL) > 0)
        continue;
    return 0;
}
