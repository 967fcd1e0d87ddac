// A thread gives up the rights of the superuser for a moment; who opens a file of the superuser meanwhile is refused.
// Without these rights the program says so itself, and fails in the same way.
//! verdict assertions violated
//! options --scratch
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *changes(void *unused)
{
    seteuid(65534);
    seteuid(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int file = open("secret", O_CREAT | O_RDWR, 0600);
    assert(file >= 0 && geteuid() == 0);
    pthread_create(&thread, NULL, changes, NULL);
    file = open("secret", O_RDONLY);
    pthread_join(thread, NULL);
    assert(file >= 0);
    return 0;
}
