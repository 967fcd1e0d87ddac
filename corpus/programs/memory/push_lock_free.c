// holds
// What a failed comparison found is written to the heap: the next round is another one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static _Atomic(struct node *) list;

static void *push(void *argument) {
    struct node *node = argument;
    node->next = atomic_load(&list);
    while (!atomic_compare_exchange_weak(&list, &node->next, node)) {
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, push, malloc(sizeof(struct node)));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    int length = 0;
    for (struct node *node = list; node; node = node->next) length++;
    assert(length == 2);
    return 0;
}
