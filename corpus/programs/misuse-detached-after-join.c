// H11: a thread is detached that was joined.
//! verdict misuse violated
#include <pthread.h>

static void *worker(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    pthread_detach(thread);
    return 0;
}
