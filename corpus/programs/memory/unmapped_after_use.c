// holds
// Each thread has a mapping of its own, though the second one may get the place of the first.
#include <pthread.h>
#include <sys/mman.h>

static void *use(void *unused) {
    int *number = mmap(0, sizeof(int), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *number = 1;
    munmap(number, sizeof(int));
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, use, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
