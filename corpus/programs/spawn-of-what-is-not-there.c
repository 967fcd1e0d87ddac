// A program that cannot be started is an error of `posix_spawn`, and there is no child.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <allways.h>

extern char **environ;

int main(void)
{
    char *arguments[] = { "true", NULL };
    pid_t child = -5;
    posix_spawn_file_actions_t actions;
    aw_assert(posix_spawn(&child, "/nowhere/at/all", NULL, NULL, arguments, environ) == ENOENT);
    aw_assert(posix_spawnp(&child, "no-program-has-this-name", NULL, NULL, arguments, environ) == ENOENT);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/nowhere/at/all", O_RDONLY, 0);
    aw_assert(posix_spawn(&child, "/bin/true", &actions, NULL, arguments, environ) == ENOENT);
    aw_assert(child == -5);
    aw_assert(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
    setenv("PATH", "/nowhere", 1);
    aw_assert(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == ENOENT);
    return 0;
}
