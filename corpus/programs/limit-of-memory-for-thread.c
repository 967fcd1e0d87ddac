// A thread lowers the limit of the address space while another one makes a thread with a large stack.
//! verdict assertions violated
#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>

static void *lowers(void *unused)
{
    struct rlimit limit = {1 << 20, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    return unused;
}

static void *ends(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread, second;
    pthread_attr_t attributes;
    int error;
    pthread_create(&thread, NULL, lowers, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 32 << 20);
    error = pthread_create(&second, &attributes, ends, NULL);
    if (!error)
        pthread_join(second, NULL);
    pthread_join(thread, NULL);
    assert(!error);
    return 0;
}
