// Two locks in opposite order, by functions that `dlsym` finds in the C library itself: they are under control all the same.
//! verdict deadlock violated
#include <dlfcn.h>
#include <pthread.h>

static int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *argument)
{
    lock(&one);
    lock(&other);
    unlock(&other);
    unlock(&one);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *library = dlopen("libc.so.6", RTLD_NOW);
    *(void **)&lock = dlsym(library, "pthread_mutex_lock");
    *(void **)&unlock = dlsym(library, "pthread_mutex_unlock");
    pthread_create(&thread, NULL, worker, NULL);
    lock(&other);
    lock(&one);
    unlock(&one);
    unlock(&other);
    pthread_join(thread, NULL);
    return 0;
}
