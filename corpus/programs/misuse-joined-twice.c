// H11: a thread is joined by two others.
//! verdict misuse violated
#include <pthread.h>

static pthread_t joined;

static void *worker(void *unused)
{
    return unused;
}

static void *joiner(void *unused)
{
    pthread_join(joined, NULL);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&joined, NULL, worker, NULL);
    pthread_create(&other, NULL, joiner, NULL);
    pthread_join(joined, NULL);
    pthread_join(other, NULL);
    return 0;
}
