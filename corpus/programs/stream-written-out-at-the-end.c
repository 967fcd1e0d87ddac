// What a process printed is in the file when it has ended.
//! options --scratch
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    FILE *log = fopen("log", "w");
    pid_t child = fork();
    if (child == 0) {
        fputs("hello", log);
        exit(0);
    }
    struct stat status;
    waitpid(child, NULL, 0);
    assert(stat("log", &status) == 0 && status.st_size == 5);
    return 0;
}
