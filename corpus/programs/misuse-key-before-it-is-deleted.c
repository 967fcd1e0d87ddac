// H11: the twin of misuse-key-after-it-was-deleted; the number of the key may be given to another one.
#include <pthread.h>
#include <threads.h>

static pthread_key_t key;

static void *worker(void *unused)
{
    pthread_setspecific(key, &key);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    pthread_key_delete(key);
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &key);
    pthread_key_delete(key);
    tss_t other;
    tss_create(&other, NULL);
    tss_set(other, &other);
    return tss_get(other) != &other;
}
