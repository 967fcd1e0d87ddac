// H11: a semaphore with a name is closed as often as it was opened, by each process for itself.
#include <assert.h>
#include <fcntl.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    sem_t *first = sem_open("/opened-often", O_CREAT, 0600, 0);
    sem_t *second = sem_open("/opened-often", 0);
    assert(first == second);
    sem_unlink("/opened-often");
    sem_close(first);
    pid_t child = fork();
    sem_post(second);
    sem_close(second);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return 0;
}
