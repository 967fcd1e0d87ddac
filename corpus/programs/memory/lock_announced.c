// holds
// A lock whose atomic operations tell nobody anything, but which the program announces to be one.
#include <pthread.h>
#include <stdatomic.h>

void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);

static atomic_int lock;
static int counter;

static void *count(void *unused) {
    __tsan_mutex_pre_lock(&lock, 0);
    while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed)) {}
    __tsan_mutex_post_lock(&lock, 0, 0);
    counter++;
    __tsan_mutex_pre_unlock(&lock, 0);
    atomic_store_explicit(&lock, 0, memory_order_relaxed);
    __tsan_mutex_post_unlock(&lock, 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return counter == 2 ? 0 : 1;
}
