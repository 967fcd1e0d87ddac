// What is reserved for exploring does not count against the limit of the program (F7).
//! options --visible memory
//! compile -fsanitize=thread
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    struct rlimit wanted = {300 << 20, 300 << 20}, found;
    assert(setrlimit(RLIMIT_AS, &wanted) == 0);
    assert(getrlimit(RLIMIT_AS, &found) == 0);
    assert(found.rlim_cur == wanted.rlim_cur && found.rlim_max == wanted.rlim_max);
    pthread_t thread;
    assert(pthread_create(&thread, NULL, nothing, NULL) == 0);
    pthread_join(thread, NULL);
    // More than the limit is not to be had.
    assert(malloc((size_t)400 << 20) == NULL);
    return 0;
}
