// holds
// H9: rights that a page has already are given to it again, or only that of writing is taken from what is read.
#include <pthread.h>
#include <sys/mman.h>

static volatile char *page, *other;

static void *work(void *argument) {
    page[0] = 1;
    return other[0] ? 0 : argument;
}

int main(void) {
    pthread_t thread;
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    other = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, 0, work, 0);
    mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
    mprotect((void *)other, 4096, PROT_READ);
    pthread_join(thread, 0);
    return 0;
}
