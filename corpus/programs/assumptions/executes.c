// Executes another program, in a child (`fork`) or itself. Memory is looked at in the first
// program only.
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    int status = 0;
    if (count < 3)
        return 1;
    if (strcmp(arguments[1], "fork") != 0 || fork() == 0) {
        execv(arguments[2], arguments + 2);
        _exit(9);
    }
    wait(&status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
