// H2: who sleeps longer than the alarm is long is ended by it.
//! verdict exit violated
#include <unistd.h>

int main(void)
{
    alarm(10);
    sleep(20);
    return 0;
}
