// A driver sends requests in any order to a lift that must never move with open doors; the doors are forgotten once.
//! verdict assertions violated
#include <pthread.h>
#include <semaphore.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t requests;
static int wanted[2], floor_now, open_doors;

static void *lift(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&requests);
        pthread_mutex_lock(&mutex);
        if (wanted[i] != floor_now) {
            aw_assert(!open_doors);
            floor_now = wanted[i];
        }
        /* The doors close again only on the way up. */
        open_doors = floor_now == 0;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&requests, 0, 0);
    pthread_create(&thread, NULL, lift, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        wanted[i] = aw_toss(2);
        pthread_mutex_unlock(&mutex);
        sem_post(&requests);
    }
    pthread_join(thread, NULL);
    return 0;
}
