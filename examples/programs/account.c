/*
 * Two threads take money from one account. Every access is protected, but what was read may be old when it is written.
 *
 *     gcc -g -pthread -o account account.c
 *     allways explore -- ./account
 */
#include <assert.h>
#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    int balance;
} account = {PTHREAD_MUTEX_INITIALIZER, 10};

static int balance(void)
{
    pthread_mutex_lock(&account.lock);
    int amount = account.balance;
    pthread_mutex_unlock(&account.lock);
    return amount;
}

static void set_balance(int amount)
{
    pthread_mutex_lock(&account.lock);
    account.balance = amount;
    pthread_mutex_unlock(&account.lock);
}

static void *withdraw(void *unused)
{
    set_balance(balance() - 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, withdraw, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    assert(account.balance == 8);
    return 0;
}
