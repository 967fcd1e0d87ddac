// H11: a thread sets its value of a key that another thread deletes meanwhile.
//! verdict misuse violated
#include <pthread.h>

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
    pthread_key_delete(key);
    pthread_join(thread, NULL);
    return 0;
}
