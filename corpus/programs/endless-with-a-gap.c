// Two threads that never end. What is wrong with them happens at the beginning, far from where a search depth first looks.
//! verdict assertions violated
//! options --max-executions 400
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stage;

static void go_on(void)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void *writer(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&mutex);
        stage = i;
        pthread_mutex_unlock(&mutex);
    }
    go_on();
    return unused;
}

static void *reader(void *unused)
{
    pthread_mutex_lock(&mutex);
    aw_assert(stage != 1);
    pthread_mutex_unlock(&mutex);
    go_on();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
