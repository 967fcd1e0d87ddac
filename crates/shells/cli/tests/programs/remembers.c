// A file that every execution makes longer decides which lock comes first.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t even = PTHREAD_MUTEX_INITIALIZER, odd = PTHREAD_MUTEX_INITIALIZER;
static int is_odd;

static void *work(void *unused)
{
    if (is_odd) {
        pthread_mutex_lock(&odd);
        pthread_mutex_unlock(&odd);
    }
    pthread_mutex_lock(&even);
    pthread_mutex_unlock(&even);
    return unused;
}

int main(void)
{
    int file = open("remembered", O_RDWR | O_CREAT | O_APPEND, 0600);
    is_odd = lseek(file, 0, SEEK_END) & 1;
    if (write(file, "x", 1) != 1)
        return 1;
    close(file);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
}
