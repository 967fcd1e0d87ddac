// A function of the C library writes the time where its caller wants it; another thread looks there.
//! compile -fsanitize=thread
//! options --visible memory
//! verdict races violated
#include <pthread.h>
#include <time.h>

static struct timespec begin;

static void *looks(void *unused)
{
    return begin.tv_sec != 0 ? &begin : unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, looks, NULL);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pthread_join(thread, NULL);
    return 0;
}
