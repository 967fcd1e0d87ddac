// violated: assertions races
// A record is copied while another thread changes it.
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct record {
    long first, second, more[6];
};

static struct record record;

static void *change(void *unused) {
    record.first = 1;
    record.second = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    struct record copy;
    void *(*volatile by_call)(void *, const void *, size_t) = memcpy;
    pthread_create(&thread, 0, change, 0);
    by_call(&copy, &record, sizeof copy);
    assert(copy.first == copy.second);
    pthread_join(thread, 0);
    return 0;
}
