// Two threads that wait for each other with system calls of their own: nothing of the C library is called.
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

static int turn;

static long direct(long number, long a, long b, long c, long d)
{
    long result;
    register long fourth __asm__("r10") = d;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
    return result;
}

static void await(int value)
{
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != value)
        direct(SYS_futex, (long)&turn, FUTEX_WAIT, 1 - value, 0);
}

static void *other(void *unused)
{
    await(1);
    __atomic_store_n(&turn, 0, __ATOMIC_SEQ_CST);
    direct(SYS_futex, (long)&turn, FUTEX_WAKE, 1, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    __atomic_store_n(&turn, 1, __ATOMIC_SEQ_CST);
    direct(SYS_futex, (long)&turn, FUTEX_WAKE, 1, 0);
    await(0);
    return pthread_join(thread, NULL);
}
