// F4: the C library calls `exit` for a thread itself, by a name of its own, while the first thread may be in `exit`, too.
//! verdict exit violated
//! executions source 2
#include <err.h>
#include <pthread.h>

static void *fails(void *argument)
{
    (void)argument;
    errx(7, "nothing to be done");
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fails, NULL);
    return 0;
}
