// H2: two locks in opposite order, and an alarm that ends the program when it hangs. That it hangs is the news.
//! verdict deadlock violated
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&two);
    pthread_mutex_unlock(&two);
    pthread_mutex_unlock(&one);
    return unused;
}

int main(void)
{
    pthread_t thread;
    alarm(10);
    pthread_create(&thread, 0, take, 0);
    pthread_mutex_lock(&two);
    pthread_mutex_lock(&one);
    pthread_mutex_unlock(&one);
    pthread_mutex_unlock(&two);
    pthread_join(thread, 0);
    return 0;
}
