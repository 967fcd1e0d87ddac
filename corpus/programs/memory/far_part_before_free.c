// violated: races
// A large block is given back; the thread that writes far behind its beginning may come before or after.
#include <pthread.h>
#include <stdlib.h>

static char *block;

static void *use(void *unused) {
    block[30000] = 1;
    return unused;
}

int main(void) {
    block = malloc(40000);
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    free(block);
    pthread_join(thread, 0);
    return 0;
}
