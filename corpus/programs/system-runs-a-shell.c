// The shell and what it starts are under control, too.
#include <stdlib.h>
#include <sys/wait.h>
#include <allways.h>

int main(void)
{
    int status = system("exit 3");
    aw_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    status = system("true && kill -TERM $$");
    aw_assert(WIFSIGNALED(status) && WTERMSIG(status) == 15);
    return 0;
}
