// Finding h5: what two threads do to `counter` is in another file, which may be compiled without the hooks.
#include <assert.h>
#include <pthread.h>

extern int counter;
void count(void);

static void *work(void *unused)
{
    count();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
