// Macros with and without parameters are replaced as text.
//! rule 1.1
//! plain 4/0/4/0/3 ok
#define LIMIT 3
#define twice(e) e + e
byte x;
active proctype A() { x = 2 * twice(LIMIT); assert(x == 9) }
