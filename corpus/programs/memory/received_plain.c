// violated: assertions races
// Two threads read from pipes of their own into the same place.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int pipes[2][2];
static char buffer[8];

static void *work(void *argument)
{
    long number = (long)argument;
    assert(read(pipes[number][0], buffer, sizeof buffer) == 4);
    assert(buffer[0] == 'a' + number);
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
