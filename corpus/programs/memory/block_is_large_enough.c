// holds
// H10: the same with room for three numbers.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *numbers, next;

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    numbers[next] = 1;
    next = 2;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t thread;
    numbers = malloc(3 * sizeof *numbers);
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    free(numbers);
    return 0;
}
