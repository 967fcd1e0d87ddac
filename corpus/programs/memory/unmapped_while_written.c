// violated: crash races
// A mapping is taken away first; the thread that writes it could have come before.
#include <pthread.h>
#include <sys/mman.h>

static int *numbers;

static void *use(void *unused) {
    numbers[5] = 1;
    return unused;
}

int main(void) {
    numbers = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    munmap(numbers, 4096);
    pthread_join(thread, 0);
    return 0;
}
