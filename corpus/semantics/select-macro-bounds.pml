// Bounds that are macros for literals are literals.
//! rule g
//! plain 6/2/8/0/3 ok
#define LO 2
#define HI 4
byte x;
active proctype A() { select (x : LO .. HI); x = 0 }
