// The same where nobody ever writes to the pipe.
//! compile -D_FORTIFY_SOURCE=2
//! verdict deadlock violated
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
    pthread_join(thread, &is_wrong);
    return is_wrong != NULL;
}
