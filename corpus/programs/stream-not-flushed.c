// The question stays in the buffer of the stream, and both wait for the other.
//! verdict deadlock violated
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int there[2], back[2];
    char line[32];
    if (pipe(there) != 0 || pipe(back) != 0)
        return 2;
    if (fork() == 0) {
        FILE *in = fdopen(there[0], "r"), *out = fdopen(back[1], "w");
        if (fgets(line, sizeof line, in) != NULL)
            fputs("answer\n", out);
        return 0;
    }
    FILE *in = fdopen(back[0], "r"), *out = fdopen(there[1], "w");
    fputs("question\n", out);
    fgets(line, sizeof line, in);
    wait(NULL);
    return 0;
}
