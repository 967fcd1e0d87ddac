// A thread lowers the limit of the address space while another one maps memory.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
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
    memory = mmap(0, 1 << 26, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_join(thread, NULL);
    assert(memory != MAP_FAILED);
    return 0;
}
