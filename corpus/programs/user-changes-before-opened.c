// The same under a lock, so that the file is opened with the rights of the superuser, or by who made it.
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *changes(void *unused)
{
    uid_t own = geteuid();
    pthread_mutex_lock(&mutex);
    if (own == 0) {
        seteuid(65534);
        seteuid(own);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int file = open("secret", O_CREAT | O_RDWR, 0600);
    assert(file >= 0);
    pthread_create(&thread, NULL, changes, NULL);
    pthread_mutex_lock(&mutex);
    file = open("secret", O_RDONLY);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(file >= 0);
    return 0;
}
