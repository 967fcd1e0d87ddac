// A thread asks for the limits while others map memory, take large blocks and make threads: nothing is a step.
//! executions source 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

static void *block;

static void *asks(void *unused)
{
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    return unused;
}

static void *takes(void *unused)
{
    block = malloc(1 << 20);
    assert(block);
    free(block);
    return unused;
}

static void *maps(void *unused)
{
    void *memory = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    munmap(memory, 1 << 20);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, asks, NULL);
    pthread_create(&threads[1], NULL, maps, NULL);
    pthread_create(&threads[2], NULL, takes, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
