// H11: the mutexes of C11 are those of POSIX.
//! verdict misuse violated
#include <threads.h>

static mtx_t mutex;

static int worker(void *unused)
{
    (void)unused;
    mtx_lock(&mutex);
    return mtx_unlock(&mutex);
}

int main(void)
{
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    thrd_create(&thread, worker, NULL);
    mtx_destroy(&mutex);
    thrd_join(thread, NULL);
    return 0;
}
