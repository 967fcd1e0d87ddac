// violated: races
// A name is printed while another thread changes it.
#include <pthread.h>
#include <stdio.h>

static char name[16] = "nobody";

static void *show(void *unused)
{
    printf("%5.1f %% of %s\n", 12.5, name);
    return NULL;
}

static void *rename_it(void *unused)
{
    name[0] = 'N';
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, show, NULL);
    pthread_create(&threads[1], NULL, rename_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
