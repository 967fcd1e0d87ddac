// A pool of two threads does the work that is left when it is closed, and ends.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct task {
    int amount;
    struct task *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct task *tasks;
static int is_closed, sum;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (!tasks && !is_closed)
            pthread_cond_wait(&changed, &mutex);
        struct task *task = tasks;
        if (!task)
            break;
        tasks = task->next;
        sum += task->amount;
        free(task);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void submit(int amount)
{
    struct task *task = malloc(sizeof *task);
    task->amount = amount;
    pthread_mutex_lock(&mutex);
    task->next = tasks;
    tasks = task;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    submit(1);
    pthread_mutex_lock(&mutex);
    is_closed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sum == 1);
    return 0;
}
