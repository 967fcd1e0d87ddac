// Two threads look again and again, under a lock, whether they may begin; nobody ever says so.
//! verdict livelock violated
//! options --max-executions 100
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int may_begin;

static void *worker(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        int begins = may_begin;
        pthread_mutex_unlock(&mutex);
        if (begins)
            return unused;
        usleep(1000);
    }
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
