// A byte keeps the low eight bits.
//! rule 1.2
//! plain 11/0/11/0/10 ok
byte x;
active proctype A() { x = 257; assert(x == 1); x = 0; x--; assert(x == 255); x++; assert(x == 0); x = -2; assert(x == 254) }
