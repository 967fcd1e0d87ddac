// violated: crash races
// H9: pages are protected while another thread may write to them.
#include <pthread.h>
#include <sys/mman.h>

static volatile char *page;

static void *work(void *argument) {
    page[0] = 1;
    return argument;
}

int main(void) {
    pthread_t thread;
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, 0, work, 0);
    mprotect((void *)page, 4096, PROT_READ);
    pthread_join(thread, 0);
    return 0;
}
