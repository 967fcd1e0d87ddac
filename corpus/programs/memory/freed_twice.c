// violated: races
// Two threads give the same block back, one after the other; the heap itself need not notice.
#include <pthread.h>
#include <stdlib.h>

static void *give_back(void *block) {
    free(block);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    void *block = malloc(20);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, give_back, block);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
