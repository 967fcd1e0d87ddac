// A writer that tries three times can meet a reader each time, though no reader stays for long.
//! verdict assertions violated
#include <pthread.h>
#include <allways.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    int written = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < 3 && !written; i++)
        if (pthread_rwlock_trywrlock(&rwlock) == 0) {
            written = 1;
            pthread_rwlock_unlock(&rwlock);
        }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    aw_assert(written);
    return 0;
}
