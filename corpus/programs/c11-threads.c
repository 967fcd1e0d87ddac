// The threads, mutexes and conditions of C11.
#include <threads.h>
#include <allways.h>

static mtx_t mutex;
static cnd_t filled;
static int items;

static int consumer(void *unused)
{
    (void)unused;
    mtx_lock(&mutex);
    while (items == 0)
        cnd_wait(&filled, &mutex);
    items--;
    mtx_unlock(&mutex);
    return 5;
}

int main(void)
{
    thrd_t thread;
    int result;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&filled);
    thrd_create(&thread, consumer, NULL);
    mtx_lock(&mutex);
    items++;
    cnd_signal(&filled);
    mtx_unlock(&mutex);
    thrd_join(thread, &result);
    aw_assert(result == 5 && items == 0);
    return 0;
}
