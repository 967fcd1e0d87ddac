// Two processes append to a file, each at once.
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void report(const char *text)
{
    int file = open("log", O_WRONLY | O_APPEND);
    assert(write(file, text, 2) == 2);
    close(file);
}

int main(void)
{
    close(open("log", O_CREAT | O_WRONLY, 0600));
    if (fork() == 0) {
        report("aa");
        _exit(0);
    }
    report("bb");
    wait(NULL);
    struct stat status;
    assert(stat("log", &status) == 0 && status.st_size == 4);
    return 0;
}
