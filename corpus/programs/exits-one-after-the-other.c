// Two threads call `exit`: a mutex that no thread gives back lets one of them run the functions.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
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
    pthread_mutex_lock(&ending);
    exit(0);
}

int main(void)
{
    pthread_t thread;
    atexit(is_last);
    atexit(saves);
    pthread_create(&thread, NULL, ends, NULL);
    pthread_mutex_lock(&ending);
    exit(0);
}
