// One of the three results of a toss is bad.
//! verdict assertions violated
//! executions source 3
//! executions naive 3
#include <allways.h>

int main(void)
{
    int value = aw_toss(2);
    aw_assert(value != 1);
    return 0;
}
