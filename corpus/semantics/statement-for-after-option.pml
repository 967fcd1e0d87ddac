// A for loop has no block of its own.
//! rule c2
//! plain 12/0/12/0/11 ok
byte i, s;
active proctype A() { s = 1; { for (i : 1 .. 2) { s = s + i } }; assert(s == 4) }
