// Two threads look again and again, under a lock, whether they may begin; whoever says so comes last. Then they count in two steps.
//! verdict assertions violated
//! options --max-executions 100
#include <pthread.h>
#include <unistd.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int may_begin, count;

static int get(int *variable)
{
    pthread_mutex_lock(&mutex);
    int value = *variable;
    pthread_mutex_unlock(&mutex);
    return value;
}

static void set(int *variable, int value)
{
    pthread_mutex_lock(&mutex);
    *variable = value;
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *unused)
{
    while (!get(&may_begin))
        usleep(1000);
    set(&count, get(&count) + 1);
    return unused;
}

static void *starter(void *unused)
{
    set(&may_begin, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i < 2 ? worker : starter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    aw_assert(count == 2);
    return 0;
}
