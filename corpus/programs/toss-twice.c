// Tosses multiply: three results times two.
//! executions source 6
//! executions naive 6
#include <allways.h>

int main(void)
{
    int first = VS_toss(2), second = VS_toss(1);
    VS_assert(first + second <= 3);
    return 0;
}
