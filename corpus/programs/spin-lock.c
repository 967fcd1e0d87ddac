// A spin lock excludes like a mutex; waiting for it is no endless loop.
//! executions source 6
#include <pthread.h>
#include <allways.h>

static pthread_spinlock_t spin;
static int inside;

static void *worker(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_spin_lock(&spin);
        aw_assert(++inside == 1);
        inside--;
        pthread_spin_unlock(&spin);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
