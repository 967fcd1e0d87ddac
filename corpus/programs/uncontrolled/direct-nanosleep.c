// A sleep that the C library does not know of.
#include <sys/syscall.h>
#include <time.h>

int main(void)
{
    struct timespec long_time = { .tv_sec = 3600 };
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_nanosleep), "D"(&long_time), "S"(0) : "rcx", "r11", "memory");
    return result == 0 ? 0 : 1;
}
