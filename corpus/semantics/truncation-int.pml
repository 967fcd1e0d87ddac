// An int wraps around at 32 bits.
//! rule 1.2
//! plain 9/0/9/0/8 ok
int x;
active proctype A() { x = 2147483647; x = x + 1; assert(x < 0); x = x - 1; assert(x > 0); x = 65536 * 65536; assert(x == 0) }
