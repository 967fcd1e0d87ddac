// holds
// Who waits for the lock looks at a flag of its own, on its own stack.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
} node;

static _Atomic(node *) last;
static int count;

static void lock(node *mine) {
    atomic_store(&mine->next, NULL);
    atomic_store(&mine->waits, 1);
    node *before = atomic_exchange(&last, mine);
    if (before) {
        atomic_store(&before->next, mine);
        while (atomic_load(&mine->waits)) {
        }
    }
}

static void unlock(node *mine) {
    node *expected = mine;
    if (!atomic_load(&mine->next) && atomic_compare_exchange_strong(&last, &expected, NULL)) return;
    node *next;
    while (!(next = atomic_load(&mine->next))) {
    }
    atomic_store(&next->waits, 0);
}

static void *worker(void *unused) {
    node mine;
    lock(&mine);
    count++;
    unlock(&mine);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(count == 2);
    return 0;
}
