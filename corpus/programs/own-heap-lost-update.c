// The program has a heap of its own, under a lock that the C library takes while it makes a thread. Beside it, an update is lost.
//! verdict assertions violated
//! compile -fno-builtin
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char room[1 << 22];
static size_t used;
static int counter;

void *malloc(size_t size)
{
    pthread_mutex_lock(&heap);
    size_t *place = (size_t *)(room + used);
    *place = size;
    used += (size + 31) & ~(size_t)15;
    pthread_mutex_unlock(&heap);
    return (char *)place + 16;
}

void free(void *unused)
{
    (void)unused;
}

void *calloc(size_t count, size_t size)
{
    return memset(malloc(count * size), 0, count * size);
}

void *realloc(void *old, size_t size)
{
    void *place = malloc(size);
    size_t length = old ? ((size_t *)old)[-2] : 0;
    return length ? memcpy(place, old, length < size ? length : size) : place;
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = counter;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    counter = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
