// Division and remainder round toward zero.
//! rule 1.4
//! plain 6/0/6/0/5 ok
int x = -7;
active proctype A() { assert(x / 2 == -3); assert(x % 2 == -1); assert(7 / -2 == -3); assert(7 % -2 == 1) }
