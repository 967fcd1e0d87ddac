// H11: a semaphore with a name is closed once more than it was opened.
//! verdict misuse violated
#include <fcntl.h>
#include <semaphore.h>

int main(void)
{
    sem_t *semaphore = sem_open("/closed-twice", O_CREAT, 0600, 1);
    sem_unlink("/closed-twice");
    sem_close(semaphore);
    sem_close(semaphore);
    return 0;
}
