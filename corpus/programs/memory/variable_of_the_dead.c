// violated: misuse
// H10: a thread-local variable of a thread that has ended is read.
#include <pthread.h>

static __thread int own;
static volatile int *told;

static void *work(void *argument) {
    told = &own;
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return *told & 0;
}
