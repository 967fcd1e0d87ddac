// H7: `strtok` keeps where it goes on, for all threads: another one may have begun a text of its own.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *cuts(void *unused)
{
    char text[] = "x y";
    strtok(text, " ");
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[] = "a b";
    pthread_create(&thread, 0, cuts, 0);
    strtok(text, " ");
    char *second = strtok(0, " ");
    pthread_join(thread, 0);
    assert(second == text + 2);
    return 0;
}
