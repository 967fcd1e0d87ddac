// Threads one after another, or all at once: `many 300 after`, `many 300 once`. With `detached`
// each has told that it is done before the next one is made.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int count;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    sem_post(&done);
    return unused;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1, at_once = argc > 2 && strcmp(argv[2], "once") == 0;
    int is_detached = argc > 2 && strcmp(argv[2], "detached") == 0;
    sem_init(&done, 0, 0);
    pthread_t *threads = malloc(n * sizeof(*threads));
    for (int number = 0; number < n; number++) {
        pthread_create(&threads[number], NULL, worker, NULL);
        if (is_detached) {
            pthread_detach(threads[number]);
            sem_wait(&done);
        } else if (!at_once)
            pthread_join(threads[number], NULL);
    }
    for (int number = 0; at_once && number < n; number++)
        pthread_join(threads[number], NULL);
    free(threads);
    return count != n;
}
