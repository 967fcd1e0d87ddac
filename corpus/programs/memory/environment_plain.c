// violated: races
// One thread sets a variable of the environment while another one asks for one.
#include <pthread.h>
#include <stdlib.h>


static void *work(void *argument)
{
    if (argument)
        setenv("COLOUR", "red", 1);
    else
        getenv("HOME");
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
