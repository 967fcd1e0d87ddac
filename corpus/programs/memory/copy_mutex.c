// holds
// The same with a lock.
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct record {
    long first, second, more[6];
};

static struct record record;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *unused) {
    pthread_mutex_lock(&mutex);
    record.first = 1;
    record.second = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct record copy;
    void *(*volatile by_call)(void *, const void *, size_t) = memcpy;
    pthread_create(&thread, 0, change, 0);
    pthread_mutex_lock(&mutex);
    by_call(&copy, &record, sizeof copy);
    pthread_mutex_unlock(&mutex);
    assert(copy.first == copy.second);
    pthread_join(thread, 0);
    return 0;
}
