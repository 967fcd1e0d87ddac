// A function of the C library changes the seed that its caller passes: two threads pass the same one.
//! compile -fsanitize=thread
//! options --visible memory
//! verdict races violated
#include <pthread.h>
#include <stdlib.h>

static unsigned seed;

static void *draws(void *unused)
{
    rand_r(&seed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, draws, NULL);
    rand_r(&seed);
    pthread_join(thread, NULL);
    return 0;
}
