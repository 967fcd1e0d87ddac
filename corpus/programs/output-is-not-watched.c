// Threads that only print: nobody in the program can tell who was first, so there is one execution.
//! executions naive 1
//! executions source 1
//! executions persistent 1
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *worker(void *number)
{
    printf("thread %ld\n", (long)number);
    puts("begins");
    fputs("and", stdout);
    putchar('\n');
    fflush(stdout);
    fprintf(stderr, "ends\n");
    return write(1, ".\n", 2) == 2 ? NULL : number;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
