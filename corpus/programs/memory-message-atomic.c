// An atomic flag says that the data is there.
//! compile -fsanitize=thread
//! options --visible memory
#include <pthread.h>
#include <stdatomic.h>
#include <allways.h>

static int data;
static atomic_int flag;

static void *writer(void *unused)
{
    data = 7;
    atomic_store(&flag, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (atomic_load(&flag))
        aw_assert(data == 7);
    pthread_join(thread, NULL);
    return 0;
}
