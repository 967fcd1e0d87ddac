// H11: a semaphore with a name is destroyed, not closed.
//! verdict misuse violated
#include <fcntl.h>
#include <semaphore.h>

int main(void)
{
    sem_t *semaphore = sem_open("/destroyed", O_CREAT, 0600, 1);
    sem_unlink("/destroyed");
    sem_destroy(semaphore);
    return 0;
}
