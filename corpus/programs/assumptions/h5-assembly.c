// Finding h5: everything here is compiled with hooks, but functions are told to have none, or are written in assembly. The first argument of
// the compiler says which: PLAIN is right.
#include <pthread.h>

static int counter, other;

#if defined ATOMIC
static void count(void)
{
    other++;
    __asm__ volatile("lock; incl %0" : "+m"(counter)::"memory");
}
#elif defined ASSEMBLY
static void count(void)
{
    __asm__ volatile("incl %0" : "+m"(counter)::"memory");
}
#elif defined ATTRIBUTE
__attribute__((no_sanitize("thread"), noinline)) static void count(void)
{
    counter++;
}
#else
static const int numbers[] = {1, 2, 3, 5, 8};
static const char *const names[] = {"one", "two"};

static int number(int of)
{
    int local[8];
    for (int i = 0; i < 8; i++)
        local[i] = i * of;
    switch (of & 7) {
    case 0: return numbers[of & 3];
    case 1: return local[of & 7];
    case 2: return 7;
    case 3: return names[of & 1][0];
    case 4: return -1;
    case 5: return 12;
    default: return 4;
    }
}

static void count(void)
{
    if (number(7) != 4)
        counter++;
}
#endif

static void *work(void *unused)
{
    count();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    count();
    return counter + other < 0;
}
