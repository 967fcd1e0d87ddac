// A thread that was made detached cannot be joined; who is told so waits in another way. POSIX leaves open what the join does.
//! verdict misuse violated
#include <errno.h>
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int result;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    result = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, worker, NULL);
    aw_assert(pthread_join(thread, NULL) == EINVAL);
    pthread_mutex_lock(&mutex);
    while (!result)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
