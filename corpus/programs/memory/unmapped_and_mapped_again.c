// holds
// A thread takes a mapping away; another one, which nothing orders with that, gets the place again and uses it.
#include <pthread.h>
#include <sys/mman.h>

static int *map(void) { return mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

static void *use(void *unused) {
    for (int round = 0; round < 3; round++) {
        int *numbers = map();
        numbers[5] = numbers[5000] = round;
        munmap(numbers, 1 << 16);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, use, 0);
    use(0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
