// The compiler has it checked that there is room for what is read from a pipe.
//! compile -D_FORTIFY_SOURCE=2
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static volatile size_t length = 4;

static void *reads(void *unused)
{
    char buffer[8];
    return (void *)(long)(read(ends[0], buffer, length) != 4);
}

int main(void)
{
    pthread_t thread;
    void *is_wrong;
    if (pipe(ends) != 0 || pthread_create(&thread, NULL, reads, NULL) != 0)
        return 1;
    if (write(ends[1], "four", 4) != 4)
        return 1;
    pthread_join(thread, &is_wrong);
    return is_wrong != NULL;
}
