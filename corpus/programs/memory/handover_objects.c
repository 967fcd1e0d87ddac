// holds
// Plain data is handed over by every kind of object; nothing races.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static int has_value, by_cond, by_semaphore, by_rwlock, by_spin, by_once, at_barrier[2], from_main;

static void initialise(void) {
    by_once = 6;
}

static void *other(void *argument) {
    assert(from_main == 1 && *(int *)argument == 2);
    pthread_once(&once, initialise);
    assert(by_once == 6);
    pthread_mutex_lock(&mutex);
    by_cond = 3;
    has_value = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    by_semaphore = 4;
    sem_post(&semaphore);
    pthread_rwlock_wrlock(&rwlock);
    by_rwlock++;
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    by_spin++;
    pthread_spin_unlock(&spin);
    at_barrier[1] = 7;
    pthread_barrier_wait(&barrier);
    assert(at_barrier[0] == 8);
    *(int *)argument = 9;
    return 0;
}

int main(void) {
    int local = 2;
    pthread_t thread;
    from_main = 1;
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_spin_init(&spin, 0);
    pthread_create(&thread, 0, other, &local);
    pthread_mutex_lock(&mutex);
    while (!has_value) pthread_cond_wait(&cond, &mutex);
    assert(by_cond == 3);
    pthread_mutex_unlock(&mutex);
    sem_wait(&semaphore);
    assert(by_semaphore == 4);
    pthread_rwlock_rdlock(&rwlock);
    assert(by_rwlock <= 1);
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    by_spin++;
    pthread_spin_unlock(&spin);
    pthread_once(&once, initialise);
    assert(by_once == 6);
    at_barrier[0] = 8;
    pthread_barrier_wait(&barrier);
    assert(at_barrier[1] == 7);
    pthread_join(thread, 0);
    assert(local == 9 && by_spin == 2);
    return 0;
}
