// H7: the twin of functions-at-the-end-in-any-order: the second one registers when the first has ended.
//! executions source 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int last;

static void one(void)
{
    assert(last == 0);
    last = 1;
}

static void two(void)
{
    last = 2;
}

static void *registers(void *unused)
{
    atexit(two);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, registers, 0);
    pthread_join(thread, 0);
    atexit(one);
    return 0;
}
