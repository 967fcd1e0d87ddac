/*
 * A heap of its own, which knows only its own blocks; with -DLIBRARY, and otherwise a program that uses it in several threads.
 */
#include <stddef.h>

#ifdef LIBRARY
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char memory[1 << 22] __attribute__((aligned(4096)));
static size_t used;

struct block {
    size_t size, mark;
};

static void *take(size_t alignment, size_t size)
{
    pthread_mutex_lock(&lock);
    size_t start = (used + sizeof(struct block) + alignment - 1) / alignment * alignment;
    used = start + size;
    struct block *block = (struct block *)(memory + start) - 1;
    block->size = size;
    block->mark = 0xa11;
    pthread_mutex_unlock(&lock);
    return block + 1;
}

size_t malloc_usable_size(void *place)
{
    struct block *block = (struct block *)place - 1;
    if ((char *)place < memory || (char *)place >= memory + sizeof memory || block->mark != 0xa11)
        __builtin_trap();
    return block->size;
}

void *malloc(size_t size)
{
    return take(16, size);
}

void *calloc(size_t count, size_t size)
{
    return take(16, count * size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return take(alignment, size);
}

void *realloc(void *place, size_t size)
{
    void *new = malloc(size);
    if (place) {
        size_t length = malloc_usable_size(place);
        memcpy(new, place, length < size ? length : size);
    }
    return new;
}

void free(void *place)
{
    if (place)
        malloc_usable_size(place);
}
#else
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *latest;

static void *works(void *argument)
{
    (void)argument;
    char *text = realloc(strdup("one"), 5000);
    pthread_mutex_lock(&lock);
    char *before = latest;
    latest = text;
    pthread_mutex_unlock(&lock);
    free(before);
    return calloc(3, 7);
}

int main(void)
{
    pthread_t threads[2];
    void *result;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, works, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &result);
        if (malloc_usable_size(result) != 21)
            return 1;
        free(result);
    }
    void *aligned = aligned_alloc(256, 10);
    if ((uintptr_t)aligned % 256 != 0 || malloc_usable_size(aligned) != 10)
        return 2;
    free(aligned);
    return strcmp(latest, "one") != 0;
}
#endif
