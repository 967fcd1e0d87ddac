// H11: a semaphore without a name is closed, not destroyed.
//! verdict misuse violated
#include <semaphore.h>

static sem_t semaphore;

int main(void)
{
    sem_init(&semaphore, 0, 1);
    sem_close(&semaphore);
    return 0;
}
