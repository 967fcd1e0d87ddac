// Two threads write a pipe each, and nothing else relates them: the poll may see only the second.
//! verdict assertions violated
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include <allways.h>

static int pipes[2][2];

static void *speak(void *end)
{
    return write(*(int *)end, "x", 1) == 1 ? NULL : end;
}

int main(void)
{
    pthread_t threads[2];
    struct pollfd both[2];
    for (int i = 0; i < 2; i++) {
        if (pipe(pipes[i]) != 0)
            return 2;
        both[i] = (struct pollfd) { pipes[i][0], POLLIN, 0 };
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, speak, &pipes[i][1]);
    poll(both, 2, -1);
    aw_assert(both[0].revents & POLLIN);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
