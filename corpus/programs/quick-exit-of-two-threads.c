// F3: two threads call `quick_exit`, the second while the first one has run all functions already: the status can be that of either.
//! verdict exit violated
//! executions source 2
#include <pthread.h>
#include <stdlib.h>

static void *fails(void *argument)
{
    (void)argument;
    quick_exit(7);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fails, NULL);
    quick_exit(0);
}
