// Whatever an execution changes in its process, the next one finds as in a new one: all kinds of memory, how numbers are rounded, which signals are
// let through, what was mapped. Some end in a deadlock, some in a thread, with much in use.
//! verdict deadlock violated
//! compile -lm
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <allways.h>

enum { N = 3, LARGE = 300000, DEEP = 200000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int started;
static int begun = 7;
static char large[LARGE];
static char *kept;
static _Thread_local int own = 3;
static int order;

static void all_is_new(void)
{
    aw_assert(started == 0 && begun == 7 && own == 3 && kept == NULL);
    for (int i = 0; i < LARGE; i += 1000)
        aw_assert(large[i] == 0);
    aw_assert(fegetround() == FE_TONEAREST);
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    aw_assert(!sigismember(&blocked, SIGUSR1));
}

static int uses_much_stack(void)
{
    volatile char deep[DEEP];
    memset((char *)deep, 1, sizeof deep);
    return deep[17];
}

static void change_all(void)
{
    started = 1;
    begun++;
    own = 4;
    memset(large, 1, sizeof large);
    kept = malloc(500000);
    memset(kept, 1, 500000);
    for (int i = 0; i < 200; i++)
        memset(malloc(100), 1, 100);
    char *pages = mmap(NULL, 70000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages[69999] = 1;
    mprotect(pages, 4096, PROT_NONE);
    fesetround(FE_UPWARD);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    printf("changed %d\n", uses_much_stack());
}

static void *takes(void *number)
{
    long me = (long)number;
    aw_assert(own == 3);
    own = 5;
    free(malloc(1000));
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        order = order * N + me;
        pthread_mutex_unlock(&mutex);
    }
    if (order == 2 + 3 * 2)
        exit(0);
    if (order % 7 == 3) {
        pthread_mutex_lock(&other);
        pthread_mutex_lock(&other);
    }
    return NULL;
}

int main(void)
{
    all_is_new();
    change_all();
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, takes, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
