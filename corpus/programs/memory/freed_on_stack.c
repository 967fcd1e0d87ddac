// violated: crash
// A thread gives back what the heap never gave out: an array on its stack.
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused)
{
    volatile char bytes[64] __attribute__((aligned(16)));
    for (int i = 0; i < 64; i++)
        bytes[i] = 0;
    char *volatile block = (char *)bytes + 16;
    free(block);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
