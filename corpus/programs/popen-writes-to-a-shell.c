// A shell reads what the program writes; it waits for the end, and the program for the shell.
#include <stdio.h>
#include <sys/wait.h>
#include <allways.h>

int main(void)
{
    FILE *shell = popen("read a; read b; test \"$a$b\" = xy", "w");
    aw_assert(shell != NULL);
    aw_assert(fprintf(shell, "x\ny\n") == 4);
    int status = pclose(shell);
    aw_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
