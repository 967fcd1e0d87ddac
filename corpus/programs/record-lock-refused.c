// One of two processes with locks in opposite order can be refused its second lock.
//! verdict exit violated
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static int lock(int file, short kind, off_t at)
{
    struct flock wish = { .l_type = kind, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };
    return fcntl(file, F_SETLKW, &wish);
}

static int both(int file, off_t first, off_t second)
{
    if (lock(file, F_WRLCK, first) != 0)
        return 3;
    int refused = lock(file, F_WRLCK, second) != 0;
    if (refused && errno != EDEADLK)
        return 4;
    if (!refused)
        lock(file, F_UNLCK, second);
    lock(file, F_UNLCK, first);
    return refused ? 1 : 0;
}

int main(void)
{
    int status, file = open("k.lock", O_RDWR | O_CREAT, 0600);
    if (fork() == 0)
        _exit(both(file, 1, 0));
    int mine = both(file, 0, 1);
    wait(&status);
    int other = WEXITSTATUS(status);
    return mine + other == 0 ? 0 : 5;
}
