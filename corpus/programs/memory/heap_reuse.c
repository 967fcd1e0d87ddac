// holds
// Memory wanders from thread to thread through the heap, and threads that nobody joins come and go.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t done;

static void *work(void *unused) {
    int local = 1;
    int *volatile pointer = &local;
    for (int i = 0; i < 3; i++) {
        int *block = malloc(4 * sizeof *block);
        for (int j = 0; j < 4; j++) block[j] = i + *pointer;
        assert(block[3] == i + 1);
        free(block);
    }
    sem_post(&done);
    return unused;
}

int main(void) {
    sem_init(&done, 0, 0);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        pthread_detach(thread);
    }
    for (int i = 0; i < 2; i++) sem_wait(&done);
    return 0;
}
