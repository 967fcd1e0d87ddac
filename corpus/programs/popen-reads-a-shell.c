// What a shell prints and how it ends, read through a stream.
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <allways.h>

int main(void)
{
    char line[32] = "";
    FILE *shell = popen("echo hello; exit 3", "r");
    aw_assert(shell != NULL);
    aw_assert(fgets(line, sizeof line, shell) != NULL && strcmp(line, "hello\n") == 0);
    aw_assert(fgets(line, sizeof line, shell) == NULL);
    int status = pclose(shell);
    aw_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    return 0;
}
