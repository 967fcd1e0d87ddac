// The first thread fails before the other one has run. If the other one comes first, it does not fail, and waits for itself.
//! verdict assertions violated
//! verdict deadlock violated
//! compile -fsanitize=thread
//! options --visible memory
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int is_set;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fails(void *unused)
{
    assert(is_set == 1);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return unused;
}

static void *sets(void *unused)
{
    is_set = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, fails, NULL);
    pthread_create(&threads[1], NULL, sets, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
