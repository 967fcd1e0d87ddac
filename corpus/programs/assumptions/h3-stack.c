// Finding h3: a lock-free stack from which two threads pop; one forgets to look whether the top is still the same.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    atomic_int taken;
};

static struct node nodes[2] = {{NULL, 0}, {&nodes[0], 0}};
static _Atomic(struct node *) top = &nodes[1];

static void *pop(void *unused)
{
    struct node *node = atomic_load(&top);
    atomic_store(&top, node->next);
    atomic_fetch_add(&node->taken, 1);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, pop, NULL);
    pop(NULL);
    pthread_join(other, NULL);
    assert(nodes[0].taken == 1 && nodes[1].taken == 1);
    return 0;
}
