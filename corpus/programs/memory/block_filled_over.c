// violated: misuse
// H10: one of two threads fills one byte more than there is room for.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t size = 16;
static char *block;

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    memset(block, 0, size);
    size = 17;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t thread;
    block = malloc(16);
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    free(block);
    return 0;
}
