// violated: crash races
// H9: a mapping goes to another place, while a thread may not have read it yet.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

static volatile char *page, *elsewhere;

static void *work(void *argument) {
    mremap((void *)page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere);
    return argument;
}

int main(void) {
    pthread_t thread;
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    elsewhere = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, 0, work, 0);
    char byte = page[0];
    pthread_join(thread, 0);
    return byte;
}
