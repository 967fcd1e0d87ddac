// A macro may use another that is defined later.
//! rule 1.1
//! plain 4/0/4/0/3 ok
#define outer(a) inner(a) + 1
#define inner(a) (a * 2)
byte x;
active proctype A() { x = outer(3); assert(x == 7) }
