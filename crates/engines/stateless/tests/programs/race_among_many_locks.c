// Two threads write without a lock, and far too many schedules of the locks are left to try.
#include <pthread.h>

int counts[6], last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *number) {
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&lock);
        counts[i]++;
        pthread_mutex_unlock(&lock);
    }
    last = *(int *)number;
    return 0;
}

int main(void) {
    static int numbers[] = {0, 1, 2, 3};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, count, &numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
