// violated: crash races
// The same with an atomic variable, and a text whose length a function looks for.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static struct {
    _Atomic int count;
    char text[16];
} *shared;

static size_t length;

static void *use(void *unused) {
    shared->count++;
    return unused;
}

static void *look(void *unused) {
    length = strlen(shared->text);
    return unused;
}

int main(void) {
    shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], 0, use, 0);
    pthread_create(&threads[1], 0, look, 0);
    munmap(shared, 4096);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
