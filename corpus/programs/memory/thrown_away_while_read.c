// violated: assertions races
// H9: a thread throws away what pages contain, while another one may not have read it yet.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static volatile char *page;

static void *work(void *argument) {
    madvise((void *)page, 4096, MADV_DONTNEED);
    return argument;
}

int main(void) {
    pthread_t thread;
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 1;
    pthread_create(&thread, 0, work, 0);
    assert(page[0] == 1);
    pthread_join(thread, 0);
    return 0;
}
