// F4: a thread calls `exit` while the first thread may be in `exit`, too. The C library lets the second one go on to the end, with its status.
//! verdict exit violated
//! executions source 2
#include <pthread.h>
#include <stdlib.h>

static void *fails(void *argument)
{
    (void)argument;
    exit(7);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fails, NULL);
    return 0;
}
