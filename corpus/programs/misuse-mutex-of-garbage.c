// H11: what was never initialised is no mutex; to lock it fails, as it does in the C library.
//! verdict misuse violated
#include <pthread.h>
#include <string.h>
#include <allways.h>

static pthread_mutex_t mutex;

int main(void)
{
    memset(&mutex, 0xab, sizeof mutex);
    aw_assert(pthread_mutex_lock(&mutex) != 0);
    return 0;
}
