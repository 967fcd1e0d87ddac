// H7: what is called at the end is called in reverse order, and two threads can register in either.
//! verdict assertions violated
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
    atexit(one);
    pthread_join(thread, 0);
    return 0;
}
