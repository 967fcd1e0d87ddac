// A thread starts another one and leaves it to the main thread to wait for it.
#include <pthread.h>
#include <allways.h>

static pthread_t grandchild;
static int steps;

static void *second(void *unused)
{
    steps++;
    return unused;
}

static void *first(void *unused)
{
    steps++;
    pthread_create(&grandchild, NULL, second, NULL);
    return unused;
}

int main(void)
{
    pthread_t child;
    pthread_create(&child, NULL, first, NULL);
    pthread_join(child, NULL);
    pthread_join(grandchild, NULL);
    aw_assert(steps == 2);
    return 0;
}
