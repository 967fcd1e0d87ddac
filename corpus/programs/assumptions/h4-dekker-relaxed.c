// Finding h4: Dekker's entry with relaxed operations guards a plain variable.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
static atomic_int inside;

static void *enter(void *argument)
{
    int me = argument != NULL;
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    if (atomic_load_explicit(&wants[!me], memory_order_relaxed) == 0) {
        assert(atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed) == 0);
        atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
    }
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, enter, &other);
    enter(NULL);
    pthread_join(other, NULL);
    return 0;
}
