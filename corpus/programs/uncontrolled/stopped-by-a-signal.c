// A process that stops goes on when something from outside says so, which may be never (H8).
#include <pthread.h>
#include <signal.h>

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    raise(SIGSTOP);
    pthread_join(thread, NULL);
    return 0;
}
