// A break leaves a for loop.
//! rule f
//! plain 12/0/12/0/11 ok
byte i;
active proctype A() { for (i : 1 .. 9) { if :: i == 3 -> break :: else fi }; assert(i == 3) }
