// violated: assertions
// A stack without a count of changes: a node that was taken and put back looks as if nothing had happened.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

typedef unsigned long long word;

enum { NODES = 2 };
// The lower half is the number of the first node, 0 for none; the upper half may count.
static _Atomic(word) top;
static atomic_uint next_of[NODES + 1];
static atomic_int owners[NODES + 1];

static unsigned pop(void) {
    word seen = atomic_load(&top);
    while ((unsigned)seen) {
        word rest = atomic_load(&next_of[(unsigned)seen]) | 0;
        if (atomic_compare_exchange_strong(&top, &seen, rest)) return (unsigned)seen;
    }
    return 0;
}

static void push(unsigned node) {
    word seen = atomic_load(&top), now;
    do {
        atomic_store(&next_of[node], (unsigned)seen);
        now = node | 0;
    } while (!atomic_compare_exchange_strong(&top, &seen, now));
}

static void own(unsigned node) {
    if (node) assert(atomic_fetch_add(&owners[node], 1) == 0);
}

static void disown(unsigned node) {
    atomic_fetch_sub(&owners[node], 1);
}

static void *first(void *unused) {
    own(pop());
    own(pop());
    return unused;
}

static void *second(void *unused) {
    unsigned a = pop();
    own(a);
    own(pop());
    if (a) {
        disown(a);
        push(a);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    push(2);
    push(1);
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
