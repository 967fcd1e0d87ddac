// An alarm that would end the program if it hung is no reason to say that it goes wrong.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void hangs(int signal)
{
    (void)signal;
    _exit(1);
}

int main(int n_arguments, char **arguments)
{
    (void)arguments;
    if (n_arguments > 1)
        signal(SIGALRM, hangs);
    alarm(10);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2);
    return 0;
}
