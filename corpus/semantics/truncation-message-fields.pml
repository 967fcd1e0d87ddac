// Message fields are truncated to the type of the field when sent.
//! rule 2.14
//! plain 5/0/5/0/4 ok
chan q = [2] of { bit, byte, short };
int a, b, c;
active proctype A() { q!2,300,70000; q?a,b,c; assert(a == 0 && b == 44 && c == 4464) }
