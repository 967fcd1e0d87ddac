// H11: a spin lock of zeros is one that somebody holds, for the C library.
//! verdict misuse violated
#include <pthread.h>

static pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    return 0;
}
