/* Two threads that take two locks in opposite order, and one that has nothing to do with them. */
#include <pthread.h>

struct account {
    int balance;
    pthread_mutex_t lock;
};

static struct account accounts[2];
static pthread_mutex_t audit_lock = PTHREAD_MUTEX_INITIALIZER;

static void move(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance--, to->balance++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *unused)
{
    move(&accounts[0], &accounts[1]);
    return unused;
}

static void *back(void *unused)
{
    move(&accounts[1], &accounts[0]);
    return unused;
}

static void *audit(void *unused)
{
    for (int round = 0; round < 3; round++) {
        pthread_mutex_lock(&audit_lock);
        pthread_mutex_unlock(&audit_lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    void *(*functions[3])(void *) = {there, back, audit};
    for (int number = 0; number < 2; number++)
        pthread_mutex_init(&accounts[number].lock, NULL);
    for (int number = 0; number < 3; number++)
        pthread_create(&threads[number], NULL, functions[number], NULL);
    for (int number = 0; number < 3; number++)
        pthread_join(threads[number], NULL);
    return 0;
}
