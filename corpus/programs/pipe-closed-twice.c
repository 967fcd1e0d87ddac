// Two threads close the same end; only one of them can.
#include <pthread.h>
#include <unistd.h>

static int ends[2], closed[2];

static void *hang_up(void *mine)
{
    *(int *)mine = close(ends[1]) == 0;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    if (pipe(ends) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, hang_up, &closed[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return closed[0] + closed[1] == 1 ? 0 : 3;
}
