// violated: assertions races
// Letting go and looking are two steps: the object is given back twice, or used afterwards.
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
    atomic_fetch_sub_explicit(&thing->users, 1, memory_order_acq_rel);
    if (atomic_load(&thing->users) == 0) {
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
