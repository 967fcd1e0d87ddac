// violated: crash races
// A mapping is taken away while another thread may still use it.
#include <pthread.h>
#include <sys/mman.h>

static int *number;

static void *take_away(void *unused) {
    munmap(number, sizeof(int));
    return unused;
}

int main(void) {
    number = mmap(0, sizeof(int), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;
    pthread_create(&thread, 0, take_away, 0);
    *number = 1;
    pthread_join(thread, 0);
    return 0;
}
