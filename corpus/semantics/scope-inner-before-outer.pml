// A block may use a name that the proctype declares only later.
//! rule 1.2
//! plain 8/0/8/0/7 ok
byte y;
active proctype A() { { byte x; x = 1 }; byte x; assert(x == 0); x = 2; y = x }
