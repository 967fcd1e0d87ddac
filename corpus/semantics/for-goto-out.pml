// A goto out of a for loop.
//! rule f
//! plain 9/0/9/0/8 ok
byte i;
active proctype A() { for (i : 1 .. 9) { if :: i == 2 -> goto out :: else fi }; i = 0; out: assert(i == 2) }
