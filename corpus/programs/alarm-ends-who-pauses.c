// H2: a program that waits for the alarm that ends it does not hang.
//! verdict exit violated
#include <unistd.h>

int main(void)
{
    alarm(10);
    pause();
    return 0;
}
