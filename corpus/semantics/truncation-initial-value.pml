// Initial values are truncated to the type as well.
//! rule 1.2
//! plain 3/0/3/0/2 ok
byte x = 300;
short s = 70000;
bit b = 2;
unsigned u : 2 = 7;
active proctype A() { assert(x == 44 && s == 4464 && b == 0 && u == 3) }
