// A flag that is not atomic says that the data is there: a race, though with sequential consistency the value is right.
//! verdict races violated
//! compile -fsanitize=thread
//! options --visible memory
#include <pthread.h>
#include <stdatomic.h>
#include <allways.h>

static int data, flag;

static void *writer(void *unused)
{
    data = 7;
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (flag)
        aw_assert(data == 7);
    pthread_join(thread, NULL);
    return 0;
}
