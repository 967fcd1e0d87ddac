// holds
// The last one who lets go gives the object back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct thing {
    atomic_int users;
    int value;
};

static atomic_int given_back;

static void *use(void *argument) {
    struct thing *thing = argument;
    assert(thing->value == 5);
    if (atomic_fetch_sub_explicit(&thing->users, 1, memory_order_acq_rel) == 1) {
        assert(atomic_fetch_add(&given_back, 1) == 0);
        free(thing);
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    struct thing *thing = malloc(sizeof *thing);
    atomic_init(&thing->users, 2);
    thing->value = 5;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, use, thing);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
