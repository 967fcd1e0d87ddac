// H7: two threads share the limits of their process, so it matters whether one sets a limit before the other asks for it.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>

static struct rlimit found;

static void *ask(void *unused)
{
    getrlimit(RLIMIT_CORE, &found);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &limit);
    pthread_create(&thread, NULL, ask, NULL);
    limit.rlim_max = 0;
    setrlimit(RLIMIT_CORE, &limit);
    pthread_join(thread, NULL);
    assert(found.rlim_max == 0);
    return 0;
}
