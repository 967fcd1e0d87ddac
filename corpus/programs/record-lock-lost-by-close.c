// Closing any descriptor of a file gives up all locks that the process has on it.
//! verdict assertions violated
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static int *inside;

static void use(int closes)
{
    int file = open("g.lock", O_RDWR | O_CREAT, 0600);
    if (lockf(file, F_LOCK, 1) != 0)
        _exit(3);
    if (closes)
        close(open("g.lock", O_RDONLY));
    ++*inside;
    lockf(open("h.lock", O_RDWR | O_CREAT, 0600), F_TEST, 1);
    aw_assert(*inside == 1);
    --*inside;
    close(file);
}

int main(void)
{
    inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        use(1);
        _exit(0);
    }
    use(0);
    wait(NULL);
    return 0;
}
