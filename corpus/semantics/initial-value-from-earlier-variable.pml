// An initial value may use an earlier variable.
//! rule 1.2
//! plain 3/0/3/0/2 ok
byte a = 3;
byte b = a + 1;
active proctype A() { byte c = b * 2; assert(a == 3 && b == 4 && c == 8) }
