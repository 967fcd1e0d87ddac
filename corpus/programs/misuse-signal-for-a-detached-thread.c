// H11: a thread that was detached is asked for by its number, though it may be over.
//! verdict misuse violated
#include <pthread.h>
#include <signal.h>

static void *worker(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    pthread_kill(thread, 0);
    pthread_exit(NULL);
}
