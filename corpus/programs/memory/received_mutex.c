// holds
// Two threads read from pipes of their own into the same place, one after the other.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int pipes[2][2];
static char buffer[8];

static void *work(void *argument)
{
    long number = (long)argument;
    pthread_mutex_lock(&mutex);
    assert(read(pipes[number][0], buffer, sizeof buffer) == 4);
    assert(buffer[0] == 'a' + number);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 2; i++)
        assert(pipe(pipes[i]) == 0 && write(pipes[i][1], i ? "bbbb" : "aaaa", 4) == 4);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
