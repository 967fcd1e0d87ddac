// A lock of a file keeps others out; a try fails as long as it is held.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

static int *inside;

static void use(int waits)
{
    struct flock wish = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int file = open("i.lock", O_RDWR | O_CREAT, 0600);
    if (fcntl(file, waits ? F_SETLKW : F_SETLK, &wish) != 0) {
        if (waits || (errno != EAGAIN && errno != EACCES))
            _exit(3);
        return;
    }
    ++*inside;
    lockf(open("j.lock", O_RDWR | O_CREAT, 0600), F_TEST, 1);
    aw_assert(*inside == 1);
    --*inside;
    close(file);
}

int main(void)
{
    int status;
    inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        use(0);
        _exit(0);
    }
    use(1);
    wait(&status);
    return status == 0 ? 0 : 4;
}
