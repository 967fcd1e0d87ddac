// A thread yields five thousand times while another waits for its end: that is long, but no livelock.
#include <pthread.h>
#include <sched.h>

static void *worker(void *unused)
{
    for (int i = 0; i < 5000; i++)
        sched_yield();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
