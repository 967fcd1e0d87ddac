// Two processes lock two files in opposite order.
//! verdict deadlock violated
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static void both(const char *first, const char *second)
{
    int one = open(first, O_RDWR | O_CREAT, 0600), other = open(second, O_RDWR | O_CREAT, 0600);
    flock(one, LOCK_EX);
    flock(other, LOCK_EX);
    close(other);
    close(one);
}

int main(void)
{
    if (fork() == 0) {
        both("b.lock", "a.lock");
        _exit(0);
    }
    both("a.lock", "b.lock");
    wait(NULL);
    unlink("a.lock");
    unlink("b.lock");
    return 0;
}
