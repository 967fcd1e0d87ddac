// A thread that the C library does not know of.
#include <sys/syscall.h>
#include <unistd.h>

static long stack[4096];
static volatile int is_done;

int main(void)
{
    // A thread like those of the C library: memory, files and signals are shared.
    long flags = 0x50f00, result = SYS_clone;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "movl $1, %0\n\t"
                     "mov $60, %%eax\n\t"
                     "xor %%edi, %%edi\n\t"
                     "syscall\n"
                     "1:"
                     : "=m"(is_done), "+a"(result), "+D"(flags)
                     : "S"(stack + 4096), "d"(0)
                     : "rcx", "r11", "memory");
    while (!is_done)
        usleep(1);
    return result > 0 ? 0 : 1;
}
