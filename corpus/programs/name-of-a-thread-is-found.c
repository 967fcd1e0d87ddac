// Main gives a name to a thread that waits, and finds it there. The C library looks in `/proc`, where the numbers of threads are those that
// the program sees.
//! executions source 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sem_t end;

static void *works(void *argument)
{
    sem_wait(&end);
    return NULL;
}

int main(void)
{
    char name[64];
    pthread_t thread;
    snprintf(name, sizeof name, "/proc/%d/exe", getpid());
    assert(access(name, F_OK) == 0);
    sem_init(&end, 0, 0);
    pthread_create(&thread, NULL, works, NULL);
    assert(pthread_setname_np(thread, "worker") == 0);
    assert(pthread_getname_np(thread, name, 16) == 0 && strcmp(name, "worker") == 0);
    sem_post(&end);
    pthread_join(thread, NULL);
    return 0;
}
