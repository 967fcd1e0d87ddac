// A short keeps sixteen bits with sign.
//! rule 1.2
//! plain 9/0/9/0/8 ok
short x;
active proctype A() { x = 40000; assert(x == -25536); x = 32767; x++; assert(x == -32768); x = 65536; assert(x == 0) }
