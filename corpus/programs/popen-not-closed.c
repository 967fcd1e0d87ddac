// A shell that reads up to the end of its input, and a program that waits for it without closing the stream.
//! verdict deadlock violated
#include <stdio.h>
#include <sys/wait.h>

int main(void)
{
    FILE *shell = popen("while read line; do :; done", "w");
    if (shell == NULL)
        return 1;
    fputs("x\n", shell);
    fflush(shell);
    wait(NULL);
    return pclose(shell) == -1 ? 0 : 2;
}
