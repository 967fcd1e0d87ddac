// Whether the initialisation was done is asked again and again; who asks first makes a difference, the order of the others does not.
//! executions source 3
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int times;

static void initialise(void)
{
    times++;
}

static void *ask(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_once(&once, initialise);
        assert(times == 1);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, ask, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
