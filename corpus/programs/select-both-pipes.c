// Whoever waits for either of two pipes gets both bytes, in any order.
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int first[2], second[2];

static void *speak(void *end)
{
    return write(*(int *)end, "x", 1) == 1 ? NULL : end;
}

int main(void)
{
    pthread_t one, other;
    int n = 0;
    char byte;
    if (pipe(first) != 0 || pipe(second) != 0)
        return 2;
    pthread_create(&one, NULL, speak, &first[1]);
    pthread_create(&other, NULL, speak, &second[1]);
    while (n < 2) {
        fd_set both;
        FD_ZERO(&both);
        FD_SET(first[0], &both);
        FD_SET(second[0], &both);
        if (select(second[0] + 1, &both, NULL, NULL, NULL) < 1)
            return 4;
        if (FD_ISSET(first[0], &both))
            n += (int)read(first[0], &byte, 1);
        if (FD_ISSET(second[0], &both))
            n += (int)read(second[0], &byte, 1);
    }
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
