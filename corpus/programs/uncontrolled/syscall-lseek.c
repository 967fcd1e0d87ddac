// Two threads move the position of one file with syscall(), so nobody knows what they touch.
//! options --scratch
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int file;

static void *worker(void *number)
{
    syscall(SYS_lseek, file, (long)number, SEEK_SET);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    file = open("bytes", O_CREAT | O_RDWR, 0600);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
