// violated: assertions races
// H9: a mapping takes the place of another one, while a thread may not have read that yet.
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static volatile char *page;

static void *work(void *argument) {
    mmap((void *)page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
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
