// A thread reads from a pipe with syscall(), before anything was written or after.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused)
{
    char letter = 0;
    return syscall(SYS_read, ends[0], &letter, 1) == 1 && letter == 'x' ? NULL : unused;
}

int main(void)
{
    pthread_t thread;
    void *wrong = NULL;
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&thread, NULL, reader, ends);
    if (write(ends[1], "x", 1) != 1)
        return 3;
    pthread_join(thread, &wrong);
    return wrong == NULL ? 0 : 1;
}
