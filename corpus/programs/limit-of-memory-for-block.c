// A thread lowers the limit of the address space while another one takes a large block.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

static void *lowers(void *unused)
{
    struct rlimit limit = {1 << 20, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *memory;
    pthread_create(&thread, NULL, lowers, NULL);
    memory = malloc(1 << 26);
    pthread_join(thread, NULL);
    assert(memory != NULL);
    return 0;
}
