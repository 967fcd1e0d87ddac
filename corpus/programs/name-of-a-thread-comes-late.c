// A thread gives itself a name, and main asks for it before or after that.
//! verdict assertions violated
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t end;

static void *works(void *argument)
{
    pthread_setname_np(pthread_self(), "worker");
    sem_wait(&end);
    return NULL;
}

int main(void)
{
    char name[16];
    pthread_t thread;
    sem_init(&end, 0, 0);
    pthread_create(&thread, NULL, works, NULL);
    pthread_getname_np(thread, name, sizeof name);
    assert(strcmp(name, "worker") == 0);
    sem_post(&end);
    pthread_join(thread, NULL);
    return 0;
}
