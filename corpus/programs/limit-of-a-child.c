// `prlimit` looks at a child before or after it has changed its limit.
//! verdict assertions violated
#define _GNU_SOURCE
#include <assert.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    struct rlimit limit = {7, 7};
    setrlimit(RLIMIT_CORE, &limit);
    pid_t child = fork();
    if (child == 0) {
        limit.rlim_cur = 3;
        setrlimit(RLIMIT_CORE, &limit);
        _exit(0);
    }
    prlimit(child, RLIMIT_CORE, NULL, &limit);
    waitpid(child, NULL, 0);
    assert(limit.rlim_cur == 7);
    return 0;
}
