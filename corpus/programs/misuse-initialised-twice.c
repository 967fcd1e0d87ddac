// A semaphore that is initialised a second time, with success.
//! verdict misuse violated
#include <semaphore.h>

static sem_t semaphore;

int main(void)
{
    if (sem_init(&semaphore, 0, 1) != 0 || sem_init(&semaphore, 0, 2) != 0)
        return 2;
    return 0;
}
