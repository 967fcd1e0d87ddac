// violated: misuse
// H10: a thread passes on where its own variable is, and ends.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) place;

static void *owner(void *argument) {
    int number = 1;
    atomic_store(&place, &number);
    return argument;
}

static void *user(void *argument) {
    int *number = atomic_load(&place);
    if (number) *number = 2;
    return argument;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, owner, 0);
    pthread_create(&threads[1], 0, user, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
