// Two threads call `exit`: while one runs a function, the other one may run the next and end.
//! verdict exit violated
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_saved;

static void is_last(void)
{
    pthread_mutex_lock(&mutex);
    int was_saved = is_saved;
    pthread_mutex_unlock(&mutex);
    _exit(was_saved ? 0 : 6);
}

static void saves(void)
{
    pthread_mutex_lock(&mutex);
    is_saved = 1;
    pthread_mutex_unlock(&mutex);
}

static void *ends(void *unused)
{
    (void)unused;
    exit(0);
}

int main(void)
{
    pthread_t thread;
    atexit(is_last);
    atexit(saves);
    pthread_create(&thread, NULL, ends, NULL);
    exit(0);
}
