// Lines go through a pipe with the functions for streams; the child's standard output is the pipe.
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], status;
    char line[32];
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        printf("first %d\n", 1);
        fflush(stdout);
        puts("second");
        return 0;
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    if (in == NULL || fileno(in) != ends[0])
        return 3;
    if (fgets(line, sizeof line, in) == NULL || strcmp(line, "first 1\n") != 0)
        return 4;
    if (fgets(line, sizeof line, in) == NULL || strcmp(line, "second\n") != 0)
        return 5;
    if (fgets(line, sizeof line, in) != NULL)
        return 6;
    fclose(in);
    wait(&status);
    return status == 0 ? 0 : 7;
}
