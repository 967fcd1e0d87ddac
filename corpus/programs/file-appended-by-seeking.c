// Two processes look for the end of a file and write there: one may write over what the other wrote.
//! options --scratch
//! verdict assertions violated
#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void report(const char *text)
{
    int file = open("log", O_WRONLY);
    lseek(file, 0, SEEK_END);
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
