// The second lock must come before that of a thread that never unlocks, also where only threads are left that were tried elsewhere.
//! verdict deadlock violated
//! verdict assertions violated
//! verdict misuse violated
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *keeper(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

static void *reader(void *unused)
{
    aw_visible("value");
    aw_assert(value == 0);
    return unused;
}

static void *writer(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    aw_visible("value");
    value = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, keeper, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
