// H11: many threads, one after another, most with the handle of an earlier one; each is joined or detached once.
#include <pthread.h>

static void *worker(void *unused)
{
    return unused;
}

int main(void)
{
    for (int number = 0; number < 8; number++) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
        if (number % 2)
            pthread_detach(thread);
        else
            pthread_join(thread, NULL);
    }
    return 0;
}
