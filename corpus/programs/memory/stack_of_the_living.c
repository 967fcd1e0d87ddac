// holds
// H10: threads use variables of others that wait for them, on stacks that were used before, and one stack that the program made itself.
#include <pthread.h>

static char own[1 << 16] __attribute__((aligned(4096)));

static void *helper(void *argument) {
    *(int *)argument += 1;
    return 0;
}

static void *work(void *argument) {
    int number = 0;
    pthread_t thread;
    pthread_create(&thread, 0, helper, &number);
    pthread_join(thread, 0);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    for (int round = 0; round < 4; round++) {
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
    }
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, own, sizeof own);
    pthread_create(&thread, &attributes, work, 0);
    pthread_join(thread, 0);
    for (unsigned i = 0; i < sizeof own; i += 64) own[i] = 1;
    return 0;
}
